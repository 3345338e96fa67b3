/** The fields of an Ironic node that we use. Ironic masks the secrets in it. */
export interface NodeJson extends NodeStateJson {
  readonly driver: string;
  readonly driver_info: IronicJson;
  readonly properties: IronicJson;
  readonly instance_info: IronicJson;
  readonly instance_uuid: string | null;
  readonly network_data: IronicJson;
  readonly automated_clean: boolean | null;
  readonly disable_power_off: boolean | null;
  readonly deploy_interface: string | null;
  readonly inspect_interface: string | null;
  readonly raid_interface: string | null;
  readonly inspection_finished_at: string | null;
  readonly provision_updated_at: string | null;
}

/** The fields of a node in a list request. */
export interface NodeStateJson {
  readonly uuid: string;
  readonly name: string | null;
  readonly provision_state: string;
  readonly target_provision_state: string | null;
  readonly power_state: string | null;
  readonly target_power_state: string | null;
  readonly last_error: string | null;
  readonly maintenance: boolean;
  readonly fault: string | null;
  readonly boot_interface: string | null;
  readonly health: string | null;
  readonly reservation?: string | null;
  readonly clean_step?: StepJson | null | undefined;
  readonly deploy_step?: StepJson | null | undefined;
  /** Only in the list that the bridge requests. The time has no time zone and is in UTC. */
  readonly driver_internal_info?: { readonly last_power_state_change: string | null } | null | undefined;
}

/** The step that Ironic performs, without its arguments. Empty: none. */
export interface StepJson {
  readonly interface?: string | undefined;
  readonly step?: string | undefined;
}

export type IronicJson = Readonly<Record<string, unknown>>;
