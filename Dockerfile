# One image for the bridge and the workers; the command selects which one runs. Both architectures, with a bill of materials:
# docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=true --tag registry.example.com/temper:1 --push .
# The version is that of the package `node`, the digest that of the index of all architectures.
ARG NODE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM --platform=$BUILDPLATFORM ${NODE} AS source
WORKDIR /source
COPY . .

# The workflow bundle is the same for all architectures. Without install scripts: they would download the pinned Node, which the image already has.
FROM source AS bundle
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts && node workers/bundle-process.ts > /workflow-bundle.js

# Packages are only unpacked, so this runs on the architecture of the builder too.
# A checkout with a strict umask must not make an image that its user cannot read.
FROM source AS tree
ARG TARGETARCH
COPY --from=bundle /workflow-bundle.js /workflow-bundle.js
RUN --mount=type=cache,target=/root/.npm mkdir /tree && node deploy/image/stage.ts --architecture "$TARGETARCH" --bundle /workflow-bundle.js --folder /tree && chmod --recursive u=rwX,go=rX /tree

FROM ${NODE}
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=131072
ENV MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /opt/temper
COPY --from=tree /tree /opt/temper
USER 65532:65532
EXPOSE 8443 9440 9443 9445
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "--expose-gc", "--require=./platform/temporal/preload.ts", "workers/main.ts"]
