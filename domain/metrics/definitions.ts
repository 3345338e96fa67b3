/** A metric. Dashboards identify it by its name, so the name never changes. */
export type MetricDefinition = {
  readonly help: string;
  readonly labels: readonly string[];
} & (
  | { readonly type: 'counter' | 'gauge' }
  /** `buckets`: their upper bounds, ascending. */
  | { readonly type: 'histogram'; readonly buckets: readonly number[] }
);

interface Described<Type, Labels> {
  readonly type: Type;
  readonly labels: Labels;
  readonly help: string;
}

export const counter = <const Labels extends readonly string[]>(
  labels: Labels,
  help: string,
): Described<'counter', Labels> => ({ type: 'counter', labels, help });

export const gauge = <const Labels extends readonly string[]>(
  labels: Labels,
  help: string,
): Described<'gauge', Labels> => ({ type: 'gauge', labels, help });

export const histogram = <const Labels extends readonly string[]>(
  labels: Labels,
  buckets: readonly number[],
  help: string,
): Described<'histogram', Labels> & { readonly buckets: readonly number[] } => ({
  type: 'histogram',
  labels,
  buckets,
  help,
});

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
  metal3_reconcile_total: counter(HOST, 'Reconciliations of a host, after a change of the host or of its dependencies'),
  metal3_reconcile_error_total: counter([], 'Reconciliations of a host that failed and are repeated'),
  metal3_host_error_total: counter(
    ['error_type'],
    'Failures shown in the status of a host, by the reason of their Event',
  ),
  metal3_operation_power_change_total: counter([...HOST, 'on_off'], 'Hosts powered on or off'),
  metal3_delayed__provisioning_total: counter(HOST, 'Hosts that waited for a slot before inspection or provisioning'),
  metal3_delayed__deprovisioning_total: counter(HOST, 'Hosts that waited for a slot before deprovisioning'),
  metal3_operation_register_duration_seconds: histogram(HOST, SHORT, 'Duration of registrations'),
  metal3_operation_inspect_duration_seconds: histogram(HOST, LONG, 'Duration of inspections'),
  metal3_operation_provision_duration_seconds: histogram(HOST, LONG, 'Duration of provisioning'),
  metal3_operation_deprovision_duration_seconds: histogram(HOST, LONG, 'Duration of deprovisioning'),
  metal3_credentials_missing_total: counter([], 'Hosts whose BMC Secret is missing'),
  metal3_credentials_invalid_total: counter([], 'Hosts with invalid BMC credentials or an invalid BMC address'),
  metal3_credentials_updated_total: counter([], 'New credentials tried on a BMC'),
  metal3_provisioning_state_change_total: counter(
    ['prev_state', 'new_state'],
    'Changes of the provisioning state of a host',
  ),
  metal3_host_registration_required_total: counter([], 'Registrations begun'),
  metal3_host_unmanaged_total: counter([], 'Hosts that were created without a BMC'),
  metal3_delete_without_deprovisioning_total: counter(
    [],
    'Deletions that continued although deprovisioning failed repeatedly',
  ),
  metal3_delete_delayed_for_detached_total: counter([], 'Deletions delayed because the host is detached'),
} satisfies Record<string, MetricDefinition>;

/** Metrics of all kinds with workflows. The names are ours: baremetal-operator has no such metrics. */
export const OBJECT_METRICS = {
  temper_workflow_restarts_total: counter(
    ['kind', 'ended'],
    'Workflow runs that ended although their object still exists, and were started again',
  ),
  temper_failing_workflow_tasks: gauge(
    ['kind'],
    'Objects whose workflow task keeps failing; nothing is done for them; of the kind `lock`: runs of slots and budgets. Runs that can not be replayed are ended, four a minute',
  ),
  temper_paused_runs: gauge(
    ['kind'],
    "Objects whose run, or that of an operation, is paused by Temporal's own pause; nothing is done for them",
  ),
  temper_objects_left_alone: gauge(
    ['operator'],
    'Objects that are left to an operator of Metal3 that runs beside Temper; nothing is done for them',
  ),
  temper_runs_listed_by_state: gauge(
    [],
    'Whether new runs can be listed by state: 1, or 0 when Temporal refuses the search attribute TemperState',
  ),
  temper_hosts: gauge(['state', 'status'], 'Hosts by provisioning state and operational status'),
  temper_hosts_failing: gauge(['error_type'], 'Hosts that show an error, by its type'),
  temper_occupied_hosts: gauge(
    ['namespace'],
    'Hosts with the condition AvailableForProvisioning of the reason NodeOccupied: Ironic has something on their nodes that Temper has not deployed',
  ),
  temper_stuck_hosts: gauge(
    ['state', 'cause'],
    'Hosts that are in a state for much longer than is usual for their hardware: those with the condition Stuck, by the id of its diagnosis',
  ),
  temper_hosts_waiting: gauge(['for'], 'Hosts by what they wait for; hosts at rest are not counted'),
  temper_held_hosts: gauge(
    ['reason'],
    'Hosts with a step that waits for an approval, a window or a budget: those with the condition StepHeld, by its reason',
  ),
  temper_state_duration_seconds: histogram(
    ['state', 'model'],
    STATES,
    'Time that a host needed to pass a state, without interruption, by the model of its hardware',
  ),
  temper_operation_longest_seconds: gauge(
    ['operation'],
    'Duration so far of the running operation that began first; 0 when none is running',
  ),
  temper_status_lag_seconds: histogram(
    ['kind'],
    LAG,
    'Time from a change in a workflow until the bridge has written it to the status',
  ),
  temper_writes_refused_total: counter(['kind'], 'Writes to objects that the API server refused, without conflicts'),
  temper_annotations_refused_total: counter(
    ['message'],
    'Annotations of people that were refused and removed, because the message of the same name would have been refused',
  ),
} satisfies Record<string, MetricDefinition>;

/** Counted by the workers, because only they see these events; each attempt counts. */
export const WORKER_METRICS = {
  metal3_credentials_unhandled_error_total: counter([], 'BMC Secrets that could not be read or marked as ours'),
  metal3_credentials_no_management_access_total: counter([], 'Registrations that failed without an answer from Ironic'),
  metal3_host_config_data_error_total: counter(
    ['host_data_type'],
    'Secrets without the expected user data, network data or metadata',
  ),
  metal3_provisioner_not_ready_total: counter([], 'Times that Ironic was unreachable, too old or without drivers'),
  temper_ironic_requests_withheld_total: counter(
    ['reason'],
    'Requests that had their turn and were not sent to Ironic (or to the fixture), because the BareMetalHost, read just before, did not ask for them',
  ),
  temper_ironic_queue_seconds: histogram([], QUEUE, 'Time that a change at Ironic waited for its turn'),
  temper_ironic_queue_waiting: gauge([], 'Changes at Ironic that wait for their turn in this process'),
} satisfies Record<string, MetricDefinition>;

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
