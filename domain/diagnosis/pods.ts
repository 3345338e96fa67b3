/**
 * Commands for Temper's own pods. Namespaces and names differ with the installation, for example with clusterctl; the
 * labels are the same in all of them.
 */
export const PODS = 'kubectl get pods -A -l app.kubernetes.io/name=temper';

type Component = 'bridge' | 'workers';

export const podsOf = (component: Component): string => `${PODS},app.kubernetes.io/component=${component}`;

/** kubectl shows logs of one namespace at a time. */
export const logsOf = (component: Component): string =>
  `${podsOf(component)} --no-headers -o custom-columns=:.metadata.namespace,:.metadata.name | xargs -r -n 2 kubectl logs --tail 50 -n`;
