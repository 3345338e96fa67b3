/** What can be measured: the name alone says to others what it is, so it is never changed. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds; of histograms alone. */
  readonly buckets?: readonly number[];
}

const HOST = ['namespace', 'host'] as const;

/** Seconds. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const LONG = [30, 90, 180, 360, 720, 1440] as const;

/** Counted by the bridge, from what it shows of a host; names and labels are those of baremetal-operator. */
export const HOST_METRICS = {
  metal3_reconcile_total: {
    type: 'counter',
    labels: HOST,
    help: 'Looks at a host, after a change of it or of what it depends on',
  },
  metal3_reconcile_error_total: { type: 'counter', labels: [], help: 'Looks at a host that failed and are repeated' },
  metal3_host_error_total: {
    type: 'counter',
    labels: ['error_type'],
    help: 'Failures shown in the status of a host, by the reason of their Event',
  },
  metal3_operation_power_change_total: {
    type: 'counter',
    labels: [...HOST, 'on_off'],
    help: 'Machines powered on or off',
  },
  metal3_delayed__provisioning_total: {
    type: 'counter',
    labels: HOST,
    help: 'Waits of a host because too many others are busy, before it is inspected or provisioned',
  },
  metal3_delayed__deprovisioning_total: {
    type: 'counter',
    labels: HOST,
    help: 'Waits of a host because too many others are busy, before it is deprovisioned',
  },
  metal3_operation_register_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: SHORT,
    help: 'How long registrations took',
  },
  metal3_operation_inspect_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: LONG,
    help: 'How long inspections took',
  },
  metal3_operation_provision_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: LONG,
    help: 'How long it took to provision hosts',
  },
  metal3_operation_deprovision_duration_seconds: {
    type: 'histogram',
    labels: HOST,
    buckets: LONG,
    help: 'How long it took to deprovision hosts',
  },
  metal3_credentials_missing_total: {
    type: 'counter',
    labels: [],
    help: 'Hosts seen to be without the Secret of their BMC',
  },
  metal3_credentials_invalid_total: {
    type: 'counter',
    labels: [],
    help: 'Hosts seen with a Secret or an address of the BMC that can not be used',
  },
  metal3_credentials_updated_total: { type: 'counter', labels: [], help: 'New credentials tried on a BMC' },
  metal3_provisioning_state_change_total: {
    type: 'counter',
    labels: ['prev_state', 'new_state'],
    help: 'Steps of hosts from one provisioning state to another',
  },
  metal3_host_registration_required_total: { type: 'counter', labels: [], help: 'Registrations begun' },
  metal3_host_unmanaged_total: { type: 'counter', labels: [], help: 'Hosts that came without a BMC' },
  metal3_delete_without_deprovisioning_total: {
    type: 'counter',
    labels: [],
    help: 'Deletions that went on although deprovisioning kept failing',
  },
  metal3_delete_delayed_for_detached_total: {
    type: 'counter',
    labels: [],
    help: 'Deletions that wait because their host is detached',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Counted by the workers, where only they see it happen; each attempt counts. */
export const WORKER_METRICS = {
  metal3_credentials_unhandled_error_total: {
    type: 'counter',
    labels: [],
    help: 'Secrets of BMCs that could not be read or claimed',
  },
  metal3_credentials_no_management_access_total: {
    type: 'counter',
    labels: [],
    help: 'Registrations that broke off without an answer from Ironic',
  },
  metal3_host_config_data_error_total: {
    type: 'counter',
    labels: ['host_data_type'],
    help: 'Secrets of user data, network data or metadata without the data',
  },
  metal3_provisioner_not_ready_total: {
    type: 'counter',
    labels: [],
    help: 'Times that Ironic was not there, too old or without drivers',
  },
} as const satisfies Record<string, MetricDefinition>;

type Of<Definitions extends Record<string, MetricDefinition>> = {
  [Name in keyof Definitions & string]: {
    readonly name: Name;
    readonly labels: Readonly<Record<Definitions[Name]['labels'][number], string>>;
    /** What a counter grows by (1 when it is not said), what a gauge stands at, what a histogram saw. */
    readonly value?: number;
  };
}[keyof Definitions & string];

export type HostMeasurement = Of<typeof HOST_METRICS>;
export type WorkerMeasurement = Of<typeof WORKER_METRICS>;
