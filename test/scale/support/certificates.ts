import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
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
