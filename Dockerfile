# The service as an image: no root, no install scripts, nothing written outside of /data. See compose.yaml for how it is meant to be run.

# The same version that `npm ci` brings to a machine with an older one.
ARG NODE_VERSION=26.10.0

# The web application, made by what the service itself does not need.
FROM node:${NODE_VERSION}-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json vite.config.ts ./
COPY scripts/build-web.ts scripts/web-icons.ts scripts/web-stamp.ts scripts/
COPY src src
RUN node scripts/build-web.ts

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Not --omit=optional: libvips, without which sharp decodes nothing, is an optional package too. The Node.js that comes as one (200 MB) goes instead:
# the image has its own.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY src src
COPY assets assets
COPY deploy/health-check.js deploy/
COPY --from=web /app/dist/web dist/web
# Whoever checked out with a strict umask gets an image that works, too.
RUN chmod -R a+rX . && install -d -o 1000 -g 1000 node_modules/.cache
# Starts and stops the service once, as the user that will run it, for the compile cache has the user's number in its name. The file system may be
# read-only later on, and every start would translate TypeScript again. It is also the proof that this image works on this processor.
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
  org.opencontainers.image.description="A pet catalogue with pictures, and the accounts of the people who keep it" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="UNLICENSED"
# All addresses, for a container's own loopback is reached by nobody. That alone starts nothing: open access refuses it and says what to do, until
# MENAGERIE_ACCESS is secured or sandbox.
ENV NODE_ENV=production \
  MENAGERIE_HOST=0.0.0.0 \
  MENAGERIE_DATA_DIR=/data
WORKDIR /app
# A new volume takes its owner from here.
RUN install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=build /app /app
# By number: Kubernetes' runAsNonRoot cannot tell what a name stands for. It is the image's own user `node`.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "/app/deploy/health-check.js"]
# Stops within 24 seconds of SIGTERM: docker run needs --stop-timeout 30 for that, which has 10 by default.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/src/cli/menagerie.js"]
CMD ["serve"]
