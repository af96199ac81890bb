# The image of every app; docker-compose.yml says what each container runs. Without a command it is the whole service on
# embedded engines, in /data.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY . .
# Node is the image's own (the same version as npm would bring), the office program is Debian's.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -r node_modules/@matbee
# By itself: a layer keeps the times of files in whole seconds, and a bundle is used only while those of its sources are
# what they were when it was made.
RUN node scripts/bundle.ts

FROM node:24.21.0-bookworm-slim
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    libreoffice-writer-nogui fonts-crosextra-carlito fonts-crosextra-caladea \
    fonts-noto-core fonts-noto-cjk fonts-dejavu fonts-liberation openssl \
  && rm -rf /var/lib/apt/lists/*
# Nothing in here lets anybody become another user, but for whoever starts helpers: that user has nothing.
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
  && groupadd --gid 10001 rubrica && useradd --uid 10001 --gid rubrica --no-create-home --home-dir /nonexistent rubrica \
  && groupadd --gid 10002 helpers && useradd --uid 10002 --gid helpers --no-create-home --home-dir /nonexistent helpers \
  && install --owner=helpers --group=helpers --mode=6755 /usr/bin/setpriv /usr/local/bin/as-helpers \
  # A program that may be run and not read: what it has in memory, other programs of the same user can't read either.
  && chmod 0711 /usr/local/bin/node \
  && install --directory --owner=rubrica --group=rubrica --mode=0700 /data \
  # EventStoreDB's user, in its image; a new volume takes the folder's owner over.
  && install --directory --owner=1000 --group=1000 --mode=0755 /certificates
COPY --from=dependencies /app /app
WORKDIR /app
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data HELPERS_LAUNCHER=/usr/local/bin/as-helpers
EXPOSE 3000
USER rubrica
# Alive, not ready: an app whose engine is away says so on /readyz, and starting it anew would bring no engine back.
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=4 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=30", "--expose-gc", "scripts/start.ts", "standalone"]
