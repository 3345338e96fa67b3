/** Host names have no `~`, so the two parts of a node's name never run into each other. */
export const nodeName = (host: { readonly namespace: string; readonly name: string }): string =>
  `${host.namespace}~${host.name}`;
