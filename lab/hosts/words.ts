/** How to look on while the example hosts come up. */
export const howToWatchHosts = (kubeconfig: string): string =>
  ['Watch them, in another terminal:', `  kubectl --kubeconfig ${kubeconfig} get bmh --watch`, ''].join('\n');

/** Commands to try on the example hosts once they are up: before, they would disturb what the story shows. */
export const whatToTryOnHosts = (kubeconfig: string): string =>
  [
    'The hosts are up. Try, in another terminal:',
    `  kubectl --kubeconfig ${kubeconfig} patch bmh host-4 --type=merge -p '{"spec":{"online":false}}'`,
    `  kubectl --kubeconfig ${kubeconfig} patch bmh host-1 --type=json -p '[{"op":"remove","path":"/spec/image"}]'`,
    '',
  ].join('\n');
