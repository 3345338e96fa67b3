import { join } from 'node:path';

type Section = Readonly<Record<string, string | number | boolean>>;

export interface IronicConf {
  /** Absolute path; Ironic writes only below it. */
  readonly dir: string;
  readonly port: number;
  /** The address in Ironic's links: that of the proxy when there is one. */
  readonly publicUrl: string;
  /** Ironic's own address, without the proxy. */
  readonly ownUrl: string;
  readonly agentUrl: string;
  /** File with bcrypt passwords; without it there is no authentication. */
  readonly passwordFile?: string;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Duration of each step of a `fake-hardware` node: seconds, or `min,max`. */
  readonly fakeDelay?: string;
  /** Seconds between two checks of the power of all nodes. */
  readonly powerSync?: number;
  /** Ironic restores power that was changed without it, as it does by default. */
  readonly restoresPower?: boolean;
  /** Ironic enrolls machines that it does not know when their deploy agents call. */
  readonly discovery?: boolean;
}

const general = (conf: IronicConf): Section => ({
  ...(conf.passwordFile
    ? { auth_strategy: 'http_basic', http_basic_auth_user_file: conf.passwordFile }
    : { auth_strategy: 'noauth' }),
  // API and conductor in one process call each other directly: no message queue.
  rpc_transport: 'none',
  host: 'lab',
  my_ip: '127.0.0.1',
  state_path: conf.dir,
  tempdir: join(conf.dir, 'tmp'),
  log_file: join(conf.dir, 'ironic.log'),
  // Otherwise Ironic logs a line for each request and each wait for the database.
  default_log_levels: 'ironic.api=WARNING,sqlalchemy=WARNING,urllib3=WARNING,oslo.service=WARNING',
  enabled_hardware_types: 'redfish,fake-hardware',
  enabled_boot_interfaces: 'redfish-virtual-media,fake',
  enabled_deploy_interfaces: 'direct,ramdisk,custom-agent,fake',
  enabled_inspect_interfaces: 'agent,redfish,no-inspect,fake',
  enabled_management_interfaces: 'redfish,fake,noop',
  enabled_power_interfaces: 'redfish,fake',
  enabled_bios_interfaces: 'redfish,no-bios,fake',
  enabled_firmware_interfaces: 'redfish,no-firmware,fake',
  enabled_raid_interfaces: 'no-raid,agent,redfish,fake',
  enabled_vendor_interfaces: 'redfish,no-vendor,fake',
  enabled_network_interfaces: 'noop',
  enabled_storage_interfaces: 'noop',
  enabled_console_interfaces: 'no-console',
  enabled_rescue_interfaces: 'no-rescue,agent',
  default_network_interface: 'noop',
  default_deploy_interface: 'direct',
  default_inspect_interface: 'agent',
});

const sections = (conf: IronicConf): Readonly<Record<string, Section>> => ({
  DEFAULT: general(conf),
  api: {
    host_ip: '127.0.0.1',
    port: conf.port,
    public_endpoint: conf.publicUrl,
    // Ironic sends this timeout to the agents.
    ramdisk_heartbeat_timeout: 60,
    ...(conf.tls ? { enable_ssl_api: true, cert_file: conf.tls.certFile, key_file: conf.tls.keyFile } : {}),
  },
  agent: {
    // The simulated agents answer over plain HTTP.
    require_tls: false,
    certificates_path: join(conf.dir, 'certs'),
    deploy_logs_collect: 'never',
    post_deploy_get_power_state_retry_interval: 1,
    command_wait_interval: 1,
  },
  conductor: {
    automated_clean: true,
    sync_power_state_interval: conf.powerSync ?? 120,
    // Ironic's default is true: Ironic then restores power that was changed without it, at its next check. In the lab,
    // Temper restores it instead, and writes an Event.
    force_power_state_during_sync: conf.restoresPower ?? false,
    check_provision_state_interval: 10,
    power_state_change_timeout: 30,
    deploy_callback_timeout: 300,
    clean_callback_timeout: 300,
    inspect_wait_timeout: 300,
    // The history is on because some failures leave last_error empty and have their text only there.
    node_history: true,
    workers_pool_size: 100,
    max_concurrent_clean: 2000,
    max_concurrent_deploy: 2000,
    enable_health_monitoring: false,
    file_url_allowed_paths: join(conf.dir, 'files'),
  },
  database: {
    connection: `sqlite:///${join(conf.dir, 'ironic.sqlite')}?timeout=60`,
    // The default of 10 s is too short for fifty nodes at once.
    sqlite_max_wait_for_retry: 120,
    sqlite_synchronous: false,
    // The default is five: each further thread would open the file again for each query.
    max_pool_size: 50,
  },
  deploy: {
    http_url: `${conf.agentUrl}/http`,
    http_root: join(conf.dir, 'http'),
    // With this, Ironic passes the URL of the boot ISO to the BMC unchanged.
    ramdisk_image_download_source: 'http',
    // Cleaning erases only the partition tables.
    erase_devices_metadata_priority: 10,
    erase_devices_priority: 0,
    default_boot_mode: 'uefi',
    iso_master_path: join(conf.dir, 'iso'),
  },
  dhcp: { dhcp_provider: 'none' },
  fake: Object.fromEntries(
    (conf.fakeDelay ? ['deploy', 'inspect', 'boot', 'power'] : []).map((what) => [
      `${what}_delay`,
      conf.fakeDelay ?? '',
    ]),
  ),
  inspector: { add_ports: 'all', keep_ports: 'present' },
  // The fake driver needs no BMC. Any other driver fails to power the machine off, and Ironic then loses the node's
  // inventory.
  ...(conf.discovery === true && { auto_discovery: { enabled: true, driver: 'fake-hardware' } }),
  nova: { send_power_notifications: false },
  oslo_concurrency: { lock_path: join(conf.dir, 'lock') },
  pxe: {
    images_path: join(conf.dir, 'tmp'),
    tftp_root: join(conf.dir, 'tftp'),
    tftp_master_path: join(conf.dir, 'tftp', 'master'),
    instance_master_path: join(conf.dir, 'instances'),
  },
  // The emulator has no sessions; without this Ironic first asks every BMC for one.
  redfish: { connection_attempts: 2, connection_retry_interval: 1, auth_type: 'basic' },
  // Tells Ironic its own address without Keystone.
  service_catalog: { endpoint_override: conf.ownUrl },
});

/** Folders that Ironic expects below its state folder. */
export const IRONIC_FOLDERS = ['tmp', 'certs', 'files', 'http', 'iso', 'lock', 'tftp/master', 'instances'] as const;

export const renderIronicConf = (conf: IronicConf): string =>
  Object.entries(sections(conf))
    .map(([name, section]) => {
      const lines = Object.entries(section).map(([key, value]) => `${key} = ${value}`);
      return [`[${name}]`, ...lines, ''].join('\n');
    })
    .join('\n');
