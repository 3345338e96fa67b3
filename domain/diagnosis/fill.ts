import type { Sight } from './sight.ts';

/** Texts for placeholders in documents, and for objects that are not known. */
export const PLACEHOLDERS: Readonly<Record<string, string>> = {
  namespace: 'NAMESPACE',
  host: 'HOST',
  machine: 'METAL3MACHINE',
  ownerMachine: 'MACHINE',
  cluster: 'CLUSTER',
  metal3Cluster: 'METAL3CLUSTER',
  /** Only from a finding: an object of one of several kinds, such as `cluster/prod`. */
  object: 'KIND/NAME',
  /** Only from a finding: a row that speaks of a Secret of the host names which of them. */
  secret: 'SECRET',
  bmcSecret: 'SECRET',
  registrySecret: 'SECRET',
  address: 'ADDRESS',
  image: 'URL',
  node: 'NODE',
  template: 'TEMPLATE',
  code: 'CODE',
  kind: 'KIND',
  pool: 'POOL',
  claim: 'CLAIM',
  driver: 'DRIVER',
  run: 'WORKFLOW_ID',
  /** Where Temporal is. */
  temporal: 'TEMPORAL_ADDRESS',
};

/** The names of the objects in sight. */
export function namesIn({ host, machine, machineApi, cluster, temporal }: Sight): Readonly<Record<string, string>> {
  const namespace = (host ?? machine ?? machineApi ?? cluster)?.namespace;
  return {
    ...PLACEHOLDERS,
    ...(temporal !== undefined && { temporal: temporal.where }),
    ...(namespace !== undefined && { namespace }),
    ...(machine !== undefined && {
      machine: machine.name,
      ...(machine.owner !== '' && { ownerMachine: machine.owner }),
      ...(machine.host !== '' && { host: machine.host }),
    }),
    ...(cluster !== undefined && {
      cluster: cluster.name,
      ...(cluster.metal3Cluster !== '' && { metal3Cluster: cluster.metal3Cluster }),
    }),
    ...(host !== undefined && {
      host: host.name,
      ...(host.credentialsName !== '' && { bmcSecret: host.credentialsName }),
      ...(host.registrySecret !== '' && { registrySecret: host.registrySecret }),
      ...(host.bmcAddress !== '' && { address: host.bmcAddress }),
      ...(host.imageUrl !== '' && { image: host.imageUrl }),
    }),
  };
}

/** Replaces `{host}` and the like; unknown names stay. `quoted`: for a shell. */
export const fill = (template: string, names: Readonly<Record<string, string>>, quoted = false): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(names, name) ? names[name] : undefined;
    if (value === undefined) return whole;
    return quoted ? shellWord(value) : value;
  });

/** The text as one word of a shell: users write names and addresses into objects. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
