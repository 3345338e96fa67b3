import { WITHHELD_REASONS } from '../domain/ironic/withheld.ts';
import { HOST_METRICS, type MetricDefinition, OBJECT_METRICS, WORKER_METRICS } from '../domain/metrics/definitions.ts';
import { CONTROLLER_METRICS, PROCESS_METRICS, REPLICA_METRICS } from '../platform/metrics/definitions.ts';
import { putPage } from './generated-page.ts';

/** Generates docs/metrics.md from the definitions of the metrics. */

const code = (text: string): string => `\`${text}\``;

const table = (definitions: Readonly<Record<string, MetricDefinition>>): readonly string[] => [
  '| name | type | labels | meaning |',
  '|---|---|---|---|',
  ...Object.entries(definitions).map(([name, definition]) => {
    const { labels, help } = definition;
    const bounds = definition.type === 'histogram' ? `; buckets up to ${definition.buckets.join(', ')}` : '';
    return `| ${code(name)} | ${definition.type} | ${labels.map(code).join(', ')} | ${help}${bounds} |`;
  }),
];

const withheldReasons = [
  '`temper_ironic_requests_withheld_total`: `reason` is',
  ...Object.entries(WITHHELD_REASONS).map(([reason, meaning]) => `- ${code(reason)}: ${meaning}`),
];

const text = [
  '# Metrics',
  '',
  'Generated from `domain/metrics/definitions.ts` and `platform/metrics/definitions.ts` by `npm run metrics`; `npm run check` fails when it is',
  'out of date.',
  '',
  'Bridge and workers each serve `/metrics` at `METRICS_ADDR` ([configuration.md](configuration.md)) in Prometheus’ text format, over HTTPS.',
  'Clients need a token (`Authorization: Bearer …`) whose owner may `get` the path `/metrics`. The API server verifies the token',
  '(TokenReview) and the right (SubjectAccessReview); a positive answer is cached for a minute, a refusal for ten seconds. The response to a missing or',
  'unknown token is 401, to one without the right 403. `deploy/kubernetes/metrics.yaml` has two roles: one for clients, one for bridge',
  'and workers. With `METRICS_INSECURE=true`, plain HTTP without authentication is served.',
  '',
  'Names, types, labels and buckets below are those of baremetal-operator and of controller-runtime, so their dashboards and alerts keep',
  'working. Scrape both processes and sum over them: the workers count their own events.',
  '',
  '## Bridge: hosts',
  '',
  ...table(HOST_METRICS),
  '',
  'All but the first two are counted from the statuses and Events that the bridge writes: from the difference between the old and the new',
  'status, and from new Events. Each change is counted once, because writing it again is no difference, and an Event that exists already is not',
  'new, even when another bridge wrote it. Limits: a change is not counted when the bridge ended before it was scraped, or when it',
  'lost the API server’s answer; a host whose deletion waits because it is detached is counted again by each bridge',
  'that starts; an Event that is refused (in a namespace that is being deleted) is counted each time. baremetal-operator counts each',
  'reconciliation during registration, while delayed and while a Secret is missing; Temper counts each of these once, at its start.',
  '',
  '## Bridge: workflows of objects',
  '',
  ...table(OBJECT_METRICS),
  '',
  '`kind` is as in the API, for example `BareMetalHost`; `ended` how the run ended: `terminated`, `timed_out`, `completed`, `failed`, `cancelled`, or',
  '`lost` when Temporal knows of no run. These names are ours. Each also leads to an Event on the object: `WorkflowRestarted`, `WorkflowTaskFailing`,',
  '`WriteRefused`.',
  '',
  '`temper_hosts`, `temper_hosts_failing`, `temper_occupied_hosts`, `temper_stuck_hosts`, `temper_hosts_waiting` and `temper_operation_longest_seconds` are counted from the cached objects at each scrape, so an idle host costs nothing between two.',
  '',
  '`cause` is the id of a diagnosis ([troubleshooting.md](troubleshooting.md#diagnoses)), `longer-than-usual` where nothing else is known, and `unknown` for a condition that another version wrote. `for` has the values of the',
  'search attribute `TemperWaitsFor`: `hardware` (the server, its BMC or Ironic works), `person` (somebody holds the host, has to approve a step, or to correct what is wrong), `retry` (the next try after a failure), `window`, `budget`, `slot`.',
  '',
  '`temper_state_duration_seconds` has the states that end by themselves, for hosts that passed them without an error, a wait for a slot or a pause. The usual times are learned from the same hosts',
  '([operations/usual-times.md](operations/usual-times.md)). `model` is manufacturer and product, `unknown, <type of the BMC>` before an inspection, and `other` for more than 64 models.',
  '',
  '## Bridge: queues',
  '',
  ...table(CONTROLLER_METRICS),
  '',
  '`controller` and `name` are `baremetalhost`, as in baremetal-operator, for the looks at hosts, the other kinds in lower case for theirs,',
  '`preprovisioningimage` for images to be built, and `repair` for statuses asked of workflows. `result` is `success` or',
  '`error`; nothing is put back for a look at a later time, so `requeue` and `requeue_after` stay at 0, and all looks have the `priority` 0. A bridge',
  'that waits for the Lease has none of these yet.',
  '',
  '## Bridge: each replica',
  '',
  ...table(REPLICA_METRICS),
  '',
  '`name` is the name of the Lease, `baremetal-operator`; without `-enable-leader-election` nobody competes for it. `webhook` is the path of the',
  'webhook.',
  '',
  '## Workers',
  '',
  ...table(WORKER_METRICS),
  '',
  'Counted at each attempt: an activity that Temporal retries counts again.',
  '',
  ...withheldReasons,
  '',
  '`temper_ironic_queue_…`: one process sends `IRONIC_CONCURRENT_CHANGES` changes at a time; the others wait in its queue. A change that is sent again, because Ironic was busy, waits again.',
  '',
  '## Both',
  '',
  ...table(PROCESS_METRICS),
  '',
  '`host` is the address of the API server. A watch counts once, at its start.',
  '',
  '`temper_kept`: an alert on growth finds a leak before the memory is full. When all objects are gone, `what` is 0, of these after some minutes: `closed_runs` (runs that',
  'ended, 5 minutes), `measured_hosts` (hosts with series of their own, 10 minutes after their deletion, so that the last changes are scraped), `workload_connections` (5 minutes). The others:',
  'in the bridge `cached_objects`, `index_keys`, `ledger` (what it knows of each object), `queue_keys`, `image_keys`, `vanished_objects`, `running_writes`, `promised_hosts`, `waiting_machines`,',
  '`signalled_machines`, `node_label_drifts`, `delayed_deletions`, `left_secrets` (Secrets that hosts have left behind, until they are released), `busy_hosts` (hosts in a state that ends by itself), `discovery` (nodes in state `enroll`, and hosts made of them within the last minute); in the workers `node_waits`, `changed_nodes`, `listed_nodes` (of Ironic, while something waits for one), `node_lists`.',
  '',
  '`temper_ironic_requests_total`: `kind` is the path without names and ids.',
  '',
  '`deploy/monitoring/` has a Grafana dashboard (`dashboard.json`) and alerts for the Prometheus operator (`rules.yaml`); unit tests check their labels, and run both with promtool where it is installed; `test/e2e/monitoring.test.ts` checks that bridge and workers serve each of their metrics. Messages to workflows are counted by the SDK: `temper_messages_ignored_total` (malformed signals) and `temper_messages_refused_total` (updates that were refused), by `message`.',
  '',
  'Also served: the metrics of `prom-client` for a Node process (`process_…`, `nodejs_…`), and those of Temporal’s SDK (`temporal_…`: latencies of workflow and',
  'activity tasks, slots of workers, requests to the server), with durations in seconds.',
  '',
].join('\n');

await putPage('metrics', text);
