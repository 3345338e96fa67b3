import {
  counter,
  gauge,
  HOST_METRICS,
  histogram,
  type MetricDefinition,
  OBJECT_METRICS,
  WORKER_METRICS,
} from '../../domain/metrics/definitions.ts';

/** Seconds. */
const RECONCILE = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
] as const;
const REVIEW = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const QUEUE = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000] as const;

const CONTROLLER = ['controller'] as const;
const BOTH = ['name', 'controller'] as const;

/** Metrics of every operator built with controller-runtime, with the same names for existing dashboards. */
export const CONTROLLER_METRICS = {
  controller_runtime_reconcile_total: counter(['controller', 'result'], 'Reconciliations by result'),
  controller_runtime_reconcile_errors_total: counter(CONTROLLER, 'Failed reconciliations'),
  controller_runtime_terminal_reconcile_errors_total: counter(
    CONTROLLER,
    'Failed reconciliations that are not repeated, because the object is unreadable',
  ),
  controller_runtime_reconcile_panics_total: counter(
    CONTROLLER,
    'Reconciliations that failed with a programming error',
  ),
  controller_runtime_reconcile_time_seconds: histogram(CONTROLLER, RECONCILE, 'Duration of a reconciliation'),
  controller_runtime_active_workers: gauge(CONTROLLER, 'Running reconciliations'),
  controller_runtime_max_concurrent_reconciles: gauge(CONTROLLER, 'Maximum number of concurrent reconciliations'),
  workqueue_depth: gauge([...BOTH, 'priority'], 'Objects in the queue'),
  workqueue_adds_total: counter(BOTH, 'Objects added to the queue'),
  workqueue_queue_duration_seconds: histogram(BOTH, QUEUE, 'Time that an object waited in the queue'),
  workqueue_work_duration_seconds: histogram(BOTH, QUEUE, 'Time that the processing of an object took'),
  workqueue_unfinished_work_seconds: gauge(BOTH, 'Total time of running processings so far'),
  workqueue_longest_running_processor_seconds: gauge(BOTH, 'Time of the longest running processing so far'),
  workqueue_retries_total: counter(BOTH, 'Objects that were queued again'),
} satisfies Record<string, MetricDefinition>;

/** The Lease of the bridge and its webhooks; every replica has them. */
export const REPLICA_METRICS = {
  leader_election_master_status: gauge(
    ['name'],
    'Whether this process holds the Lease, or works without leader election (`temper-bridge`): 1 or 0',
  ),
  controller_runtime_webhook_requests_total: counter(['webhook', 'code'], 'Admission reviews by result'),
  controller_runtime_webhook_latency_seconds: histogram(['webhook'], REVIEW, 'Duration of an admission review'),
  controller_runtime_webhook_requests_in_flight: gauge(['webhook'], 'Running admission reviews'),
  controller_runtime_webhook_panics_total: counter([], 'Admission reviews that failed with a programming error'),
} satisfies Record<string, MetricDefinition>;

/** Metrics of both bridge and workers. */
export const PROCESS_METRICS = {
  temper_build_info: gauge(
    ['program', 'version', 'revision', 'node'],
    'Always 1: the program (`temper-bridge` or `temper-workers`), its version, the commit that it was built from, and its version of Node',
  ),
  temper_kept: gauge(
    ['what'],
    'Entries that the process keeps in memory, by kind of entry; entries of deleted objects are removed',
  ),
  temper_temporal_up: gauge(
    ['address'],
    'Whether Temporal answered this process when it was last asked, every ten seconds: 1 or 0. A bridge that waits for the Lease does not ask',
  ),
  temper_ironic_requests_total: counter(
    ['method', 'kind', 'code'],
    'Requests to Ironic by kind, for example `nodes/states/provision`; the code is `<error>` without an answer',
  ),
  rest_client_requests_total: counter(
    ['code', 'method', 'host'],
    'Requests to the API server by status; `<error>` without an answer',
  ),
  certwatcher_read_certificate_total: counter([], 'Reads of mounted certificates, of the webhooks and of /metrics'),
  certwatcher_read_certificate_errors_total: counter([], 'Failed reads of mounted certificates'),
} satisfies Record<string, MetricDefinition>;

/** Which process has which metrics. */
export const METRICS_OF = {
  bridge: { ...HOST_METRICS, ...OBJECT_METRICS, ...CONTROLLER_METRICS, ...REPLICA_METRICS, ...PROCESS_METRICS },
  workers: { ...WORKER_METRICS, ...PROCESS_METRICS },
} as const satisfies Record<string, Record<string, MetricDefinition>>;
