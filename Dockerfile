# The image of the service: runs as a normal user, runs no install scripts, and writes only to /data. compose.yaml shows how to run it.

# The version that `npm ci` installs on machines with an older one.
ARG NODE_VERSION=26.10.0

# Builds the server and the web application, with packages that the service does not need.
FROM node:${NODE_VERSION}-slim AS bundles
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json vite.config.ts ./
COPY scripts/build-bundle.ts scripts/build-once.ts scripts/build-web.ts scripts/bundle-layout.ts scripts/bundled-licenses.ts scripts/mapped-stacks.ts scripts/plain-path.ts scripts/web-icons.ts scripts/web-stamp.ts scripts/
COPY src src
RUN node scripts/build-bundle.ts && node scripts/build-web.ts

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Not --omit=optional, because sharp needs libvips, an optional package. Node.js, another one (200 MB), is removed instead: the image has its own.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY src/cli/menagerie.js src/cli/
COPY assets assets
COPY deploy/health-check.js deploy/
COPY --from=bundles /app/bundle bundle
COPY --from=bundles /app/dist/web dist/web
# For checkouts with a strict umask.
RUN chmod -R a+rX . && install -d -o 1000 -g 1000 node_modules/.cache
# Fills the compile cache: the file system may be read-only later, and each start would compile the server again. As the user that will run the service,
# because its number is in the name of the cache. It also proves that the image works on this processor.
USER 1000:1000
RUN export MENAGERIE_DATA_DIR=/tmp/warm-up; node src/cli/menagerie.js serve & server=$!; \
  until node deploy/health-check.js; do kill -0 "$server" || exit 1; sleep 1; done; \
  kill -TERM "$server" && wait "$server"
USER root
RUN chmod -R a+rX node_modules/.cache

FROM node:${NODE_VERSION}-slim
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="Menagerie" \
  org.opencontainers.image.description="A pet catalogue with photos and the accounts of the people who run it" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0"
# All addresses, because the loopback address of a container is not reachable. Open access refuses to start with it, so set MENAGERIE_ACCESS to secured or
# sandbox. MALLOC_ARENA_MAX halves the memory of photo uploads: docs/performance.md.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=1 \
  MENAGERIE_HOST=0.0.0.0 \
  MENAGERIE_DATA_DIR=/data
WORKDIR /app
# A new volume gets this owner.
RUN install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=build /app /app
# The user `node` by its number, because runAsNonRoot of Kubernetes cannot resolve names.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "/app/deploy/health-check.js"]
# The service stops within 24 seconds of SIGTERM: use `docker run --stop-timeout 30`, because the default is 10. With
# MENAGERIE_DRAIN_SECONDS, add its value.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/src/cli/menagerie.js"]
CMD ["serve"]
