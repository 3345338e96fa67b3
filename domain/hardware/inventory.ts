/** Ironic's inspection data, as the agent or the BMC sent it. Everything in it may be missing or empty. */
export interface Inventory {
  readonly hostname?: string | null | undefined;
  readonly system_vendor?: SystemVendor | null | undefined;
  readonly memory?: { readonly physical_mb?: number | null | undefined } | null | undefined;
  readonly cpu?: InventoryCpu | null | undefined;
  readonly interfaces?: readonly InventoryInterface[] | null | undefined;
  readonly disks?: readonly InventoryDisk[] | null | undefined;
  readonly boot?:
    | { readonly current_boot_mode?: string | null | undefined; readonly pxe_interface?: string | null | undefined }
    | null
    | undefined;
  readonly bmc_address?: string | null | undefined;
  readonly bmc_v6address?: string | null | undefined;
}

export interface SystemVendor {
  readonly manufacturer?: string | null | undefined;
  readonly product_name?: string | null | undefined;
  readonly serial_number?: string | null | undefined;
  readonly firmware?:
    | {
        readonly vendor?: string | null | undefined;
        readonly version?: string | null | undefined;
        readonly build_date?: string | null | undefined;
      }
    | null
    | undefined;
}

export interface InventoryCpu {
  readonly architecture?: string | null | undefined;
  readonly model_name?: string | null | undefined;
  /** Megahertz; agents send it as a text. */
  readonly frequency?: string | number | null | undefined;
  readonly count?: number | null | undefined;
  readonly flags?: readonly string[] | null | undefined;
}

export interface InventoryInterface {
  readonly name?: string | null | undefined;
  readonly mac_address?: string | null | undefined;
  readonly ipv4_address?: string | null | undefined;
  readonly ipv6_address?: string | null | undefined;
  readonly vendor?: string | null | undefined;
  readonly product?: string | null | undefined;
  readonly speed_mbps?: number | null | undefined;
  readonly pci_address?: string | null | undefined;
}

export interface InventoryDisk {
  readonly name?: string | null | undefined;
  readonly by_path?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly vendor?: string | null | undefined;
  readonly size?: number | null | undefined;
  readonly rotational?: boolean | null | undefined;
  readonly serial?: string | null | undefined;
  readonly wwn?: string | null | undefined;
  readonly wwn_with_extension?: string | null | undefined;
  readonly wwn_vendor_extension?: string | null | undefined;
  readonly hctl?: string | null | undefined;
}

/** The results of Ironic's inspection hooks, by name of the interface. */
export interface PluginData {
  readonly all_interfaces?:
    | Readonly<Record<string, { readonly pxe_enabled?: boolean | null | undefined } | null | undefined>>
    | null
    | undefined;
  readonly parsed_lldp?: Readonly<Record<string, ParsedLldp | null | undefined>> | null | undefined;
  /** Ironic has enrolled the node by itself, when its agent called. */
  readonly auto_discovered?: boolean | null | undefined;
}

export interface ParsedLldp {
  readonly switch_chassis_id?: string | null | undefined;
  readonly switch_port_id?: string | null | undefined;
  readonly switch_system_name?: string | null | undefined;
}
