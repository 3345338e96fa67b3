/** A metric. Dashboards identify it by its name, so the name never changes. */
export type MetricDefinition = {
  readonly help: string;
  readonly labels: readonly string[];
} & (
  | { readonly type: 'counter' | 'gauge' }
  /** `buckets`: their upper bounds, ascending. */
  | { readonly type: 'histogram'; readonly buckets: readonly number[] }
);

const HOST = ['namespace', 'host'] as const;

/** Seconds. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const LAG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
const LONG = [30, 90, 180, 360, 720, 1440] as const;
/** Seconds in the queue of changes at Ironic, which waits for minutes when Ironic is slow. */
const QUEUE = [0.01, 0.1, 0.5, 1, 5, 15, 60, 180, 600, 1800] as const;
const STATES = [1, 10, 60, 180, 360, 720, 1440, 2880, 5760, 11520] as const;

/** Counted by the bridge, from the statuses it writes; names and labels are those of baremetal-operator. */
export const HOST_METRICS = {
  metal3_reconcile_total: {
    type: 'counter',
    labels: HOST,
    help: 'Reconciliations of a host, after a change of the host or of its dependencies',
  },
  metal3_reconcile_error_total: {
    type: 'counter',
    labels: [],
    help: 'Reconciliations of a host that failed and are repeated',
  },
  metal3_host_error_total: {
    type: 'counter',
    labels: ['error_type'],
    help: 'Failures shown in the status of a host, by the reason of their Event',
  },
  metal3_operation_power_change_total: {
    type: 'counter',
    labels: [...HOST, 'on_off'],
    help: 'Hosts powered on or off',
  },
  metal3_delayed__provisioning_total: {
    type: 'counter',
    labels: HOST,
    help: 'Hosts that waited for a slot before inspection or provisioning',
  },
  metal3_delayed__deprovisioning_total: {
    type: 'counter',
    labels: HOST,
    help: 'Hosts that waited for a slot before deprovisioning',
  },
  metal3_operation_register_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: SHORT,
    help: 'Duration of registrations',
  },
  metal3_operation_inspect_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: LONG,
    help: 'Duration of inspections',
  },
  metal3_operation_provision_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: LONG,
    help: 'Duration of provisioning',
  },
  metal3_operation_deprovision_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: LONG,
    help: 'Duration of deprovisioning',
  },
  metal3_credentials_missing_total: {
    type: 'counter',
    labels: [],
    help: 'Hosts whose BMC Secret is missing',
  },
  metal3_credentials_invalid_total: {
    type: 'counter',
    labels: [],
    help: 'Hosts with invalid BMC credentials or an invalid BMC address',
  },
  metal3_credentials_updated_total: { type: 'counter', labels: [], help: 'New credentials tried on a BMC' },
  metal3_provisioning_state_change_total: {
    type: 'counter',
    labels: ['prev_state', 'new_state'],
    help: 'Changes of the provisioning state of a host',
  },
  metal3_host_registration_required_total: { type: 'counter', labels: [], help: 'Registrations begun' },
  metal3_host_unmanaged_total: { type: 'counter', labels: [], help: 'Hosts that were created without a BMC' },
  metal3_delete_without_deprovisioning_total: {
    type: 'counter',
    labels: [],
    help: 'Deletions that continued although deprovisioning failed repeatedly',
  },
  metal3_delete_delayed_for_detached_total: {
    type: 'counter',
    labels: [],
    help: 'Deletions delayed because the host is detached',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Metrics of all kinds with workflows. The names are ours: baremetal-operator has no such metrics. */
export const OBJECT_METRICS = {
  temper_workflow_restarts_total: {
    type: 'counter',
    labels: ['kind', 'ended'],
    help: 'Workflow runs that ended although their object still exists, and were started again',
  },
  temper_failing_workflow_tasks: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Objects whose workflow task keeps failing; nothing is done for them; of the kind `lock`: runs of slots and budgets. Runs that can not be replayed are ended, four a minute',
  },
  temper_paused_runs: {
    type: 'gauge',
    labels: ['kind'],
    help: "Objects whose run, or that of an operation, is paused by Temporal's own pause; nothing is done for them",
  },
  temper_objects_left_alone: {
    type: 'gauge',
    labels: ['operator'],
    help: 'Objects that are left to an operator of Metal3 that runs beside Temper; nothing is done for them',
  },
  temper_runs_listed_by_state: {
    type: 'gauge',
    labels: [],
    help: 'Whether new runs can be listed by state: 1, or 0 when Temporal refuses the search attribute TemperState',
  },
  temper_hosts: {
    type: 'gauge',
    labels: ['state', 'status'],
    help: 'Hosts by provisioning state and operational status',
  },
  temper_hosts_failing: {
    type: 'gauge',
    labels: ['error_type'],
    help: 'Hosts that show an error, by its type',
  },
  temper_occupied_hosts: {
    type: 'gauge',
    labels: ['namespace'],
    help: 'Hosts with the condition AvailableForProvisioning of the reason NodeOccupied: Ironic has something on their nodes that Temper has not deployed',
  },
  temper_stuck_hosts: {
    type: 'gauge',
    labels: ['state', 'cause'],
    help: 'Hosts that are in a state for much longer than is usual for their hardware: those with the condition Stuck, by the id of its diagnosis',
  },
  temper_hosts_waiting: {
    type: 'gauge',
    labels: ['for'],
    help: 'Hosts by what they wait for; hosts at rest are not counted',
  },
  temper_state_duration_seconds: {
    type: 'histogram',
    labels: ['state', 'model'],
    buckets: STATES,
    help: 'Time that a host needed to pass a state, without interruption, by the model of its hardware',
  },
  temper_operation_longest_seconds: {
    type: 'gauge',
    labels: ['operation'],
    help: 'Duration so far of the running operation that began first; 0 when none is running',
  },
  temper_status_lag_seconds: {
    type: 'histogram',
    labels: ['kind'],
    buckets: LAG,
    help: 'Time from a change in a workflow until the bridge has written it to the status',
  },
  temper_writes_refused_total: {
    type: 'counter',
    labels: ['kind'],
    help: 'Writes to objects that the API server refused, without conflicts',
  },
  temper_annotations_refused_total: {
    type: 'counter',
    labels: ['message'],
    help: 'Annotations of people that were refused and removed, because the message of the same name would have been refused',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Counted by the workers, because only they see these events; each attempt counts. */
export const WORKER_METRICS = {
  metal3_credentials_unhandled_error_total: {
    type: 'counter',
    labels: [],
    help: 'BMC Secrets that could not be read or marked as ours',
  },
  metal3_credentials_no_management_access_total: {
    type: 'counter',
    labels: [],
    help: 'Registrations that failed without an answer from Ironic',
  },
  metal3_host_config_data_error_total: {
    type: 'counter',
    labels: ['host_data_type'],
    help: 'Secrets without the expected user data, network data or metadata',
  },
  metal3_provisioner_not_ready_total: {
    type: 'counter',
    labels: [],
    help: 'Times that Ironic was unreachable, too old or without drivers',
  },
  temper_ironic_requests_withheld_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Requests that had their turn and were not sent to Ironic (or to the fixture), because the BareMetalHost, read just before, did not ask for them',
  },
  temper_ironic_queue_seconds: {
    type: 'histogram',
    labels: [],
    buckets: QUEUE,
    help: 'Time that a change at Ironic waited for its turn',
  },
  temper_ironic_queue_waiting: {
    type: 'gauge',
    labels: [],
    help: 'Changes at Ironic that wait for their turn in this process',
  },
} as const satisfies Record<string, MetricDefinition>;

type Of<Definitions extends Record<string, MetricDefinition>> = {
  [Name in keyof Definitions & string]: {
    readonly name: Name;
    readonly labels: Readonly<Record<Definitions[Name]['labels'][number], string>>;
    /** The increment of a counter (1 when absent), the value of a gauge, or the observation of a histogram. */
    readonly value?: number;
  };
}[keyof Definitions & string];

export type HostMeasurement = Of<typeof HOST_METRICS>;
export type ObjectMeasurement = Of<typeof OBJECT_METRICS>;
export type WorkerMeasurement = Of<typeof WORKER_METRICS>;
