import { HOST_METRICS, type MetricDefinition, WORKER_METRICS } from '../domain/metrics/definitions.ts';
import { CONTROLLER_METRICS, PROCESS_METRICS, REPLICA_METRICS } from '../platform/metrics/definitions.ts';
import { putPage } from './generated-page.ts';

/** docs/metrics.md from the definitions that the processes measure by. */

const code = (text: string): string => `\`${text}\``;

const table = (definitions: Readonly<Record<string, MetricDefinition>>): readonly string[] => [
  '| name | type | labels | what it tells |',
  '|---|---|---|---|',
  ...Object.entries(definitions).map(([name, { type, labels, help, buckets }]) => {
    const bounds = buckets === undefined ? '' : `; buckets up to ${buckets.join(', ')}`;
    return `| ${code(name)} | ${type} | ${labels.map(code).join(', ')} | ${help}${bounds} |`;
  }),
];

const text = [
  '# Metrics',
  '',
  'Generated from `domain/metrics/definitions.ts` and `platform/metrics/definitions.ts` by `npm run metrics`; `npm run check` fails when it is',
  'out of date.',
  '',
  'Bridge and workers each serve `/metrics` at `METRICS_ADDR` ([configuration.md](configuration.md)) in Prometheus’ text format: by HTTPS, to',
  'whoever bears a token (`Authorization: Bearer …`) whose owner may `get` the path `/metrics`. The API server is asked who that is',
  '(TokenReview) and whether it may (SubjectAccessReview), and its answer is believed for a minute, a refusal for ten seconds. A missing or',
  'unknown token is answered by 401, one without the right by 403. `deploy/kubernetes/metrics.yaml` has the roles: one to read, one for bridge',
  'and workers to ask. With `METRICS_INSECURE=true` it is plain HTTP, open to all who reach the address.',
  '',
  'Names, types, labels and buckets below are those of baremetal-operator and of controller-runtime, so that its dashboards and alerts go on',
  'working. Scrape both processes and sum over them: what happens in the workers is counted there.',
  '',
  '## Bridge: hosts',
  '',
  ...table(HOST_METRICS),
  '',
  'All but the first two are counted from what the bridge shows of a host: from the difference between the status it found and the status it',
  'wrote, and from the Events it wrote. Each is counted once: what is shown again is no difference, and an Event that is written again is there',
  'already, also when another bridge wrote it. What can’t be had: something that was shown by a bridge which ended before it was scraped, or',
  'which lost the API server’s answer, is not counted; a host whose deletion waits because it is detached is counted once more by each bridge',
  'that starts; and an Event that is refused (in a namespace on its way out) is counted each time. Where baremetal-operator counts at each of',
  'its looks, in registration, while delayed, while a Secret is missing, this counts once when it begins.',
  '',
  '## Bridge: queues',
  '',
  ...table(CONTROLLER_METRICS),
  '',
  '`controller` and `name` are `baremetalhost`, as in baremetal-operator, for the looks at hosts, `preprovisioningimage` for images to be built,',
  '`baremetalhost-repair` for statuses asked of workflows and `baremetalhost-stray` for workflows whose host is gone. `result` is `success` or',
  '`error`; nothing is put back for a look at a later time, so `requeue` and `requeue_after` stay at 0, and all looks have the `priority` 0. A bridge',
  'that waits for the Lease has none of these yet.',
  '',
  '## Bridge: each replica',
  '',
  ...table(REPLICA_METRICS),
  '',
  '`name` is that of the Lease, `baremetal-operator`; without `-enable-leader-election` there is no Lease to tell of. `webhook` is the path that',
  'the API server asks.',
  '',
  '## Workers',
  '',
  ...table(WORKER_METRICS),
  '',
  'Counted where it happens, at each attempt: an activity that Temporal repeats counts again.',
  '',
  '## Both',
  '',
  ...table(PROCESS_METRICS),
  '',
  '`host` is that of the API server. A watch counts once, when it begins.',
  '',
  'Beside that what `prom-client` tells of a Node process (`process_…`, `nodejs_…`), and what Temporal’s SDK measures (`temporal_…`: latencies of workflow and',
  'activity tasks, slots of workers, requests to the server), durations in seconds.',
  '',
].join('\n');

await putPage('metrics', text);
