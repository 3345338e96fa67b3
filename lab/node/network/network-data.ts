import { z } from 'zod';

/** `network_data.json` of a config drive, in OpenStack's format: the parts that a lab machine configures. */
const mac = z.string().transform((text) => text.toLowerCase().replaceAll('-', ':'));

const link = z.looseObject({
  id: z.string(),
  type: z.string(),
  ethernet_mac_address: mac.optional(),
  bond_links: z.array(z.string()).nullish(),
  vlan_link: z.string().optional(),
});
export type NetworkLink = z.infer<typeof link>;

const service = z.looseObject({ type: z.string(), address: z.string() });
export type NetworkService = z.infer<typeof service>;

const route = z.looseObject({
  network: z.string(),
  netmask: z.string().default(''),
  gateway: z.string().default(''),
  services: z.array(service).nullish(),
});
export type Route = z.infer<typeof route>;

const network = z.looseObject({
  id: z.string(),
  type: z.string(),
  link: z.string(),
  ip_address: z.string().optional(),
  netmask: z.string().default(''),
  routes: z.array(route).nullish(),
});
export type NetworkEntry = z.infer<typeof network>;

export const networkDataSchema = z.looseObject({
  links: z.array(link).nullish(),
  networks: z.array(network).nullish(),
  services: z.array(service).nullish(),
});
export type ConfigDriveNetwork = z.infer<typeof networkDataSchema>;
