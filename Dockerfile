# One image for the bridge and the workers; the command selects which one runs. `npm run image` builds it; docs/installation.md says how it is released.
# The version of Node is that of the package `node`; each digest is that of the index of all architectures.
ARG NODE=docker.io/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# The libraries that Node needs, and certificates of CAs: no shell, no package manager.
ARG BASE=gcr.io/distroless/cc-debian13@sha256:4594d59540d1948417f6ca2829ddd9294493a7c68b7528f4dd459de7f203a750

FROM --platform=$BUILDPLATFORM ${NODE} AS source
WORKDIR /source
COPY . .

# What is bundled is the same for all architectures. Without install scripts: they would download the pinned Node, which the image already has.
FROM source AS bundle
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts && node workers/bundle-process.ts > /workflow-bundle.js && node deploy/image/programs.ts --folder /programs

# Packages are only unpacked, so this runs on the architecture of the builder too.
# A checkout with a strict umask must not make an image that its user cannot read.
FROM source AS tree
ARG TARGETARCH
COPY --from=bundle /workflow-bundle.js /workflow-bundle.js
COPY --from=bundle /programs /programs
RUN --mount=type=cache,target=/root/.npm mkdir "/$TARGETARCH" && node deploy/image/stage.ts --architecture "$TARGETARCH" --bundle /workflow-bundle.js --programs /programs --folder "/$TARGETARCH" && chmod --recursive u=rwX,go=rX "/$TARGETARCH"

FROM ${NODE} AS node

# Without a command that runs, so that one machine makes the image of each architecture.
FROM ${BASE}
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=131072
ENV MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /opt/temper
COPY --from=node /usr/local/bin/node /usr/local/bin/node
# A result of another architecture, from a cache, has another name: then the build fails.
ARG TARGETARCH
COPY --from=tree /${TARGETARCH} /opt/temper
# The commit of the sources, for the metric temper_build_info: `npm run image` tells it.
ARG REVISION
ENV TEMPER_REVISION=${REVISION}
USER 65532:65532
EXPOSE 8443 9440 9443 9445
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "--expose-gc", "--require=./programs/preload.js", "programs/workers.js"]
