import { z } from 'zod';

/** The fields of Ironic's answers that we read. Unknown fields are ignored; a missing nullable field is null. */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? null);
const json = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});

/** A step that Ironic performs; an empty object when it performs none. */
const step = z.object({ interface: z.string().optional(), step: z.string().optional() }).nullish().catch(undefined);

const stateFields = {
  uuid: z.string().min(1),
  name: text,
  provision_state: text.transform((value) => value ?? 'available'),
  target_provision_state: text,
  power_state: text,
  target_power_state: text,
  last_error: text,
  maintenance: flag.transform((value) => value ?? false),
  fault: text,
  boot_interface: text,
  health: text,
  reservation: text,
};

export const nodeState = z.object(stateFields);

export const node = z.object({
  ...stateFields,
  driver: text.transform((value) => value ?? ''),
  driver_info: json,
  properties: json,
  instance_info: json,
  instance_uuid: text,
  network_data: json,
  automated_clean: flag,
  disable_power_off: flag,
  deploy_interface: text,
  inspect_interface: text,
  raid_interface: text,
  inspection_finished_at: text,
  provision_updated_at: text,
});

/** What Ironic performs on a node: with its arguments, so only the lists of those who show it ask for it. */
export const nodeSteps = z.object({ clean_step: step, deploy_step: step });

/** The time at which Ironic last began to switch a server exists only in the driver's internal data. */
const listedNode = z.object({
  ...stateFields,
  ...nodeSteps.shape,
  driver_internal_info: z.object({ last_power_state_change: text }).nullish(),
});

/** Ironic lists all drives, for any type of medium. */
export const virtualMedia = z.array(z.object({ inserted: flag }));

const next = z.string().nullish();

export const nodeList = z.object({ nodes: z.array(listedNode), next });

/** Ironic returns it only with the complete node. */
export const creation = z.object({ created_at: text });

export const portList = z.object({
  ports: z.array(z.object({ uuid: z.string(), address: z.string(), node_uuid: z.string().nullish() })),
  next,
});

const versionEntry = z.object({ version: z.string().nullish(), min_version: z.string().nullish() });

/** `GET /v1` has `version`, `GET /` has `default_version`. */
export const versionDocument = z.object({
  version: versionEntry.nullish(),
  default_version: versionEntry.nullish(),
});

export const driverList = z.object({ drivers: z.array(z.object({ name: z.string() })) });

const interfaceVerdict = z.object({ result: z.boolean().nullish(), reason: z.string().nullish() }).nullish();
export const validation = z.object({ boot: interfaceVerdict, deploy: interfaceVerdict });

export const history = z.object({
  history: z.array(
    z.object({
      event: text,
      severity: text,
      created_at: text,
    }),
  ),
});

/** Agents of all versions send these, so an invalid value counts as absent and the rest is still used. */
const lenient = <Schema extends z.ZodType>(schema: Schema): z.ZodCatch<z.ZodNullable<z.ZodOptional<Schema>>> =>
  schema.optional().nullable().catch(null);
const word = lenient(z.string());
const number = lenient(z.number());

const inventory = z.object({
  hostname: word,
  system_vendor: lenient(
    z.object({
      manufacturer: word,
      product_name: word,
      serial_number: word,
      firmware: lenient(z.object({ vendor: word, version: word, build_date: word })),
    }),
  ),
  memory: lenient(z.object({ physical_mb: number })),
  cpu: lenient(
    z.object({
      architecture: word,
      model_name: word,
      frequency: lenient(z.union([z.string(), z.number()])),
      count: number,
      flags: lenient(z.array(z.string())),
    }),
  ),
  interfaces: lenient(
    z.array(
      z.object({
        name: word,
        mac_address: word,
        ipv4_address: word,
        ipv6_address: word,
        vendor: word,
        product: word,
        speed_mbps: number,
        pci_address: word,
      }),
    ),
  ),
  disks: lenient(
    z.array(
      z.object({
        name: word,
        by_path: word,
        model: word,
        vendor: word,
        size: number,
        rotational: lenient(z.boolean()),
        serial: word,
        wwn: word,
        wwn_with_extension: word,
        wwn_vendor_extension: word,
        hctl: word,
      }),
    ),
  ),
  boot: lenient(z.object({ current_boot_mode: word, pxe_interface: word })),
  bmc_address: word,
  bmc_v6address: word,
});

const pluginData = z.object({
  all_interfaces: lenient(z.record(z.string(), lenient(z.object({ pxe_enabled: lenient(z.boolean()) })))),
  parsed_lldp: lenient(
    z.record(
      z.string(),
      lenient(z.object({ switch_chassis_id: word, switch_port_id: word, switch_system_name: word })),
    ),
  ),
  auto_discovered: lenient(z.boolean()),
});

export const nodeInventory = z.object({
  inventory,
  plugin_data: pluginData.nullish().transform((data) => data ?? {}),
});
