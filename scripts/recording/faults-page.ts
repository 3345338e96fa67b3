import { alerts } from '../../deploy/monitoring/monitored.ts';
import type { Fault } from './faults.ts';
import { SOON_S } from './prometheus.ts';

/** The page `docs/finding-faults.md`, and the commands that all its sections have. */

export const HOSTS = 'kubectl get bmh -o wide';
export const ALERTS = 'alerts';
export const ALERTS_FUNCTION = `alerts() {
  curl -s "$PROMETHEUS/api/v1/alerts" |
    jq -r '.data.alerts[] | select(.state == "firing") | .labels.alertname + " (" + .labels.severity + "): " + .annotations.summary'
}`;

/** What the terminal showed until the cause was known, and then until it was mended. */
export interface Found {
  readonly fault: Fault;
  readonly diagnosis: string;
  readonly remedy: string;
}

/** `day`: on which the session was recorded. */
export const faultsPage = (found: readonly Found[], day: string): string =>
  `# Finding faults

Five faults, each found with one alert, \`${HOSTS}\` and one \`temper explain\`, and mended with what these say.
The session was recorded on ${day} by \`npm run recording:faults\`, which writes this page.

| Fault | Alert | After |
|---|---|---|
${found.map(({ fault: { title, alert } }) => `| [${title}](#${idOf(title)}) | \`${alert}\` | ${timeOf(alert)} |`).join('\n')}

Everything is real but the servers: the hosts of \`examples/hosts.yaml\` in [a lab](lab.md) with Kubernetes' API server, Temporal, Ironic, bridge and workers.
A Prometheus has the rules of \`deploy/monitoring/rules.yaml\`; only here, the alerts of the table fire after ${SOON_S} seconds instead of the times in it.
What fires in Prometheus is printed by this function:

\`\`\`text
${ALERTS_FUNCTION}
\`\`\`

In the lab, \`npx temper temporal\` is Temporal's command line; elsewhere, the commands name the address and the namespace of your Temporal.

${found.map(section).join('\n')}`;

const section = ({ fault: { title, happened }, diagnosis, remedy }: Found): string => `## ${title}

${happened}

\`\`\`text
${diagnosis}
\`\`\`

The remedy:

\`\`\`text
${remedy}
\`\`\`
`;

const idOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

function timeOf(alert: string): string {
  const rule = alerts.find((each) => each.alert === alert);
  if (rule === undefined) throw new Error(`there is no alert ${alert}`);
  return rule.for ?? 'at once';
}
