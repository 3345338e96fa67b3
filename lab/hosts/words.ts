/** Commands to try on the example hosts. */
export const whatToTryOnHosts = (kubeconfig: string): string =>
  [
    'Try, in another terminal:',
    `  kubectl --kubeconfig ${kubeconfig} get bmh --watch`,
    `  kubectl --kubeconfig ${kubeconfig} patch bmh host-4 --type=merge -p '{"spec":{"online":false}}'`,
    `  kubectl --kubeconfig ${kubeconfig} patch bmh host-1 --type=json -p '[{"op":"remove","path":"/spec/image"}]'`,
    '',
  ].join('\n');
