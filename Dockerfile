# syntax=docker/dockerfile:1
# One image for every process; the command chooses which.

# Every manifest and nothing else: what is installed from them stays in the cache until one of them changes.
FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS build
WORKDIR /app
# Prisma's packages look for a program to download which nothing here uses; any existing file keeps them off the network.
ENV PRISMA_SCHEMA_ENGINE_BINARY=/usr/local/bin/node \
    PRISMA_SKIP_POSTINSTALL_GENERATE=1 \
    CHECKPOINT_DISABLE=1 \
    TURBO_TELEMETRY_DISABLED=1
COPY --from=manifests /app ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY . .
# What is shipped: bundles, migrations, and the few packages that no bundle has. Compilers, sources and tests stay here.
RUN npm run build && node scripts/image.mjs image

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
WORKDIR /app
# Threads for files: with the default of four, few operations on files could run at once (docs/operating.md).
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data UV_THREADPOOL_SIZE=16
# What apps/standalone/dist/prepare-main.js leaves: the credentials of the first accounts. Uploaded files are below it.
RUN install --directory --owner=node --group=node --mode=0700 /data /data/files
COPY --from=build /app/image ./
# docker compose exec gateway carillon …
RUN ln -s /app/apps/cli/bin/carillon.mjs /usr/local/bin/carillon
# The user `node` by its number: Kubernetes can tell that it is not root.
USER 1000
EXPOSE 9991 9992 9993
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "docker/health.mjs"]
CMD ["node", "apps/gateway/dist/main.js"]
