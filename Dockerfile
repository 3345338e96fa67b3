# One image for the bridge and the workers; the command selects which one runs.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /opt/temper

# Without install scripts: they would download the pinned Node, which the image already has.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

COPY api api
COPY domain domain
COPY workflows workflows
COPY kube kube
COPY activities activities
COPY workers workers
COPY k8s-bridge k8s-bridge
COPY platform platform

# The user below cannot write the cache: without this line the workers would build the workflow bundle at each start.
RUN node --input-type=module --eval "await (await import('./workers/bundle.ts')).cachedBundle()"

USER node
EXPOSE 9440
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "--require=./platform/temporal/no-call-stacks.ts", "workers/main.ts"]
