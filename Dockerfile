# Builds the image of zukan; docs/containers.md explains how to use it. `npm run test:container` builds it on other bases.
ARG BUILD_BASE=node:26-trixie-slim
ARG BASE=debian:trixie-slim

FROM ${BUILD_BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils
WORKDIR /build
# Only what npm ci reads, so that a change to the sources doesn't install everything again.
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY runtime runtime
COPY bin/required-node.js bin/
COPY scripts/generator/package.json scripts/generator/
RUN npm ci
COPY . .
# The package, with the dependencies of the lockfile and the Node that the tests run on, a quarter smaller without symbols.
RUN node_modules/.bin/node scripts/build.ts \
    && strip -o /usr/local/bin/zukan-node node_modules/.bin/node \
    && npm prune --omit=dev \
    && rm -rf node_modules/zukan-* node_modules/.bin node_modules/.cache node_modules/.package-lock.json \
    && mv node_modules dist/

FROM ${BASE}
# tini is process 1: it passes signals on to whatever command runs.
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin zukan \
    # Any user may write there, so that docker run --user works. The files belong to that user alone.
    && install --directory --owner zukan --group zukan --mode 1777 /data
COPY --from=build /usr/local/bin/zukan-node /usr/local/bin/node
COPY --from=build /build/dist /opt/zukan
RUN ln -s /opt/zukan/bin/zukan.js /usr/local/bin/zukan
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=4", "/opt/zukan/bin/zukan.js"]
CMD ["serve"]
