import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files in PEM format: an authority, and what it signed for a server on 127.0.0.1 and for a client. */
export interface Certificates {
  readonly authority: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Makes certificates with openssl, which are valid for two days. */
export function makeCertificates(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const openssl = (line: string) => execFileSync("openssl", line.split(" "), { stdio: "pipe" });
  const newKey = "-newkey rsa:2048 -nodes";
  const [authority, authorityKey] = [file("authority.crt"), file("authority.key")];
  openssl(
    `req -x509 ${newKey} -keyout ${authorityKey} -out ${authority} -days 2 -subj /CN=authority`,
  );
  const sign = (name: string, extension: string) => {
    const [key, request, cert] = [file(`${name}.key`), file(`${name}.csr`), file(`${name}.crt`)];
    const extensions = file(`${name}.ext`);
    writeFileSync(extensions, `${extension}\n`);
    openssl(`req ${newKey} -keyout ${key} -out ${request} -subj /CN=${name}`);
    openssl(
      `x509 -req -in ${request} -out ${cert} -days 2 -CA ${authority} -CAkey ${authorityKey} -CAcreateserial -extfile ${extensions}`,
    );
    return { cert, key };
  };
  return {
    authority,
    server: sign("server", "subjectAltName=IP:127.0.0.1"),
    client: sign("client", "extendedKeyUsage=clientAuth"),
  };
}

/** TLS and passwords of a setup with several servers. */
export interface Secured {
  readonly files: Certificates;
  /** Of the data nodes. */
  readonly password: string;
  /** Of the Sentinels. */
  readonly sentinelPassword: string;
}

/** Lines of a server's configuration: TLS to clients and to other servers, which need certificates too. */
export function tlsLines({ server, authority }: Certificates): string[] {
  return [
    `tls-cert-file ${server.cert}`,
    `tls-key-file ${server.key}`,
    `tls-ca-cert-file ${authority}`,
    "tls-replication yes",
  ];
}

/** How a test's own client connects. */
export function tlsOptions({ client, authority }: Certificates) {
  return {
    ca: readFileSync(authority),
    cert: readFileSync(client.cert),
    key: readFileSync(client.key),
  };
}

/** The parameters of `REDIS_URL` for these certificates. */
export function tlsParameters({ client, authority }: Certificates): Record<string, string> {
  return { sslrootcert: authority, sslcert: client.cert, sslkey: client.key };
}
