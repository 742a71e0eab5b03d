FROM node:22.23.2-bookworm-slim AS build
WORKDIR /opt/rollcall
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/bundle.js scripts/compile-schemas.js ./scripts/
COPY schemas ./schemas
COPY src ./src
RUN npm run --silent build && npm ci --ignore-scripts --omit=dev

FROM node:22.23.2-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/rollcall
COPY LICENSE package.json ./
COPY schemas ./schemas
COPY docs ./docs
COPY assets ./assets
COPY examples/pipelines ./examples/pipelines
COPY --from=build /opt/rollcall/node_modules ./node_modules
COPY --from=build /opt/rollcall/bin ./bin
RUN ln -s /opt/rollcall/bin/rollcall.cjs /usr/local/bin/rollcall
WORKDIR /roll
# The user `node` of the base image, by its number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
ENTRYPOINT ["rollcall"]
CMD ["--help"]
