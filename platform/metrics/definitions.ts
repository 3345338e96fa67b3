import { HOST_METRICS, type MetricDefinition, WORKER_METRICS } from '../../domain/metrics/definitions.ts';

/** Seconds. */
const RECONCILE = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
] as const;
const QUEUE = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000] as const;

const CONTROLLER = ['controller'] as const;
const BOTH = ['name', 'controller'] as const;

/** What every operator built with controller-runtime has, under its names: dashboards know them. */
export const CONTROLLER_METRICS = {
  controller_runtime_reconcile_total: {
    type: 'counter',
    labels: ['controller', 'result'],
    help: 'Looks at an object, by how they ended',
  },
  controller_runtime_reconcile_errors_total: {
    type: 'counter',
    labels: CONTROLLER,
    help: 'Looks at an object that failed',
  },
  controller_runtime_terminal_reconcile_errors_total: {
    type: 'counter',
    labels: CONTROLLER,
    help: 'Looks at an object that failed and are not repeated: nobody can read it',
  },
  controller_runtime_reconcile_panics_total: {
    type: 'counter',
    labels: CONTROLLER,
    help: 'Looks at an object that failed by a mistake in the program',
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    labels: CONTROLLER,
    buckets: RECONCILE,
    help: 'How long a look at an object took',
  },
  controller_runtime_active_workers: { type: 'gauge', labels: CONTROLLER, help: 'Objects being looked at' },
  controller_runtime_max_concurrent_reconciles: {
    type: 'gauge',
    labels: CONTROLLER,
    help: 'Objects looked at side by side, at most',
  },
  workqueue_depth: { type: 'gauge', labels: [...BOTH, 'priority'], help: 'Objects that wait for a look' },
  workqueue_adds_total: { type: 'counter', labels: BOTH, help: 'Objects that came to wait' },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    labels: BOTH,
    buckets: QUEUE,
    help: 'How long an object waited',
  },
  workqueue_work_duration_seconds: {
    type: 'histogram',
    labels: BOTH,
    buckets: QUEUE,
    help: 'How long an object was worked on',
  },
  workqueue_unfinished_work_seconds: {
    type: 'gauge',
    labels: BOTH,
    help: 'Time spent so far on objects being worked on, all together',
  },
  workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    labels: BOTH,
    help: 'Time spent so far on the object worked on longest',
  },
  workqueue_retries_total: { type: 'counter', labels: BOTH, help: 'Objects put off for another look' },
} as const satisfies Record<string, MetricDefinition>;

/** The lease of the bridge and its webhooks, which every replica has. */
export const REPLICA_METRICS = {
  leader_election_master_status: {
    type: 'gauge',
    labels: ['name'],
    help: 'Whether this process holds the Lease: 1, or 0',
  },
  controller_runtime_webhook_requests_total: {
    type: 'counter',
    labels: ['webhook', 'code'],
    help: 'Reviews, by how they were answered',
  },
  controller_runtime_webhook_latency_seconds: {
    type: 'histogram',
    labels: ['webhook'],
    help: 'How long a review took',
  },
  controller_runtime_webhook_requests_in_flight: {
    type: 'gauge',
    labels: ['webhook'],
    help: 'Reviews being answered',
  },
  controller_runtime_webhook_panics_total: {
    type: 'counter',
    labels: [],
    help: 'Reviews that failed by a mistake in the program',
  },
} as const satisfies Record<string, MetricDefinition>;

/** What bridge and workers both do. */
export const PROCESS_METRICS = {
  rest_client_requests_total: {
    type: 'counter',
    labels: ['code', 'method', 'host'],
    help: 'Requests to the API server by what it answered, `<error>` without an answer',
  },
  certwatcher_read_certificate_total: {
    type: 'counter',
    labels: [],
    help: 'Readings of mounted certificates, those of the webhooks and of /metrics',
  },
  certwatcher_read_certificate_errors_total: { type: 'counter', labels: [], help: 'Such readings that failed' },
} as const satisfies Record<string, MetricDefinition>;

/** Which process has which. */
export const METRICS_OF = {
  bridge: { ...HOST_METRICS, ...CONTROLLER_METRICS, ...REPLICA_METRICS, ...PROCESS_METRICS },
  workers: { ...WORKER_METRICS, ...PROCESS_METRICS },
} as const satisfies Record<string, Record<string, MetricDefinition>>;
