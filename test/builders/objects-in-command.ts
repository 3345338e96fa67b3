/** The objects that a command of the table of diagnoses names, as its program reads it. */

/** Kinds by the words for them. A word that is missing is ambiguous: other groups have kinds of that name too. */
const KINDS: Readonly<Record<string, string>> = {
  bmh: 'BareMetalHost',
  host: 'BareMetalHost',
  baremetalhost: 'BareMetalHost',
  hardwaredata: 'HardwareData',
  preprovisioningimage: 'PreprovisioningImage',
  secret: 'Secret',
  namespace: 'Namespace',
  cluster: 'Cluster',
  clusters: 'Cluster',
  metal3cluster: 'Metal3Cluster',
  metal3clusters: 'Metal3Cluster',
  metal3machine: 'Metal3Machine',
  'machine.cluster.x-k8s.io': 'Machine',
  'machines.cluster.x-k8s.io': 'Machine',
  'machine.machine.openshift.io': 'Machine.machine.openshift.io',
  kubeadmconfigs: 'KubeadmConfig',
  metal3data: 'Metal3Data',
  metal3dataclaims: 'Metal3DataClaim',
  metal3datatemplates: 'Metal3DataTemplate',
  'ippools.ipam.metal3.io': 'IPPool',
  'ipaddresses.ipam.metal3.io': 'IPAddress',
  ipclaims: 'IPClaim',
  'ipaddressclaims.ipam.cluster.x-k8s.io': 'IPAddressClaim',
  // From the message.
  IPPool: 'IPPool',
  InClusterIPPool: 'InClusterIPPool',
  IPClaim: 'IPClaim',
  // Each has its own rights, and no object of ours.
  pods: 'Pod',
  leases: 'Lease',
  nodes: 'Node',
  crds: 'CustomResourceDefinition',
  validatingadmissionpolicies: 'ValidatingAdmissionPolicy',
  validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
};
const OF_NO_NAMESPACE = ['Namespace', 'Node', 'CustomResourceDefinition'];

/** What `baremetal node` can do. */
const OF_NODES = ['show', 'delete', 'undeploy', 'maintenance', 'set', 'unset'];

/** Options that are followed by a value. */
const WITH_VALUE = [
  '-n',
  '-o',
  '-p',
  '-l',
  '-w',
  '-f',
  '--type',
  '--for',
  '--kubeconfig',
  '--tail',
  '--workflow-id',
  '--fields',
  '--reason',
  '--code',
];

function kindOf(word: string): string {
  const kind = KINDS[word];
  if (kind === undefined) throw new Error(`${word} is no kind, or kinds of several groups`);
  return kind;
}

const object = (kind: string, namespace: string, name: string): string =>
  OF_NO_NAMESPACE.includes(kind) ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;

interface Words {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

function read(command: string): Words {
  const tokens = command.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  const options = new Map<string, string>();
  const words = tokens.filter((token, index) => {
    if (WITH_VALUE.includes(tokens[index - 1] ?? '')) return false;
    if (WITH_VALUE.includes(token)) options.set(token, tokens[index + 1] ?? '');
    return !token.startsWith('-');
  });
  return { words, options };
}

const PROGRAMS: Readonly<Record<string, (words: Words) => readonly string[]>> = {
  kubectl: ({ words: [, verb = '', resource = '', ...rest], options }) => {
    const namespace = options.get('-n') ?? '';
    const asked = verb === 'events' ? (options.get('--for') ?? '') : resource;
    if (['apply', 'logs'].includes(verb)) return [];
    const [word = '', named] = asked.split('/');
    const kinds = word.split(',').map(kindOf);
    const name = named ?? (verb === 'create' ? rest[1] : rest[0]);
    return name === undefined ? [] : kinds.map((kind) => object(kind, namespace, name));
  },
  npx: ({ words: [, , , kind = '', name = ''], options }) => [
    object(kind === 'machine' ? 'Metal3Machine' : kindOf(kind), options.get('-n') ?? '', name),
  ],
  temporal: ({ words: [, what], options }) => {
    if (what === 'operator') return [];
    const [kind = '', namespace = '', name] = (options.get('-w') ?? '').split('/');
    return name === undefined ? [`run ${options.get('--workflow-id')}`] : [object(kindOf(kind), namespace, name)];
  },
  baremetal: ({ words }) => {
    const [, what, ...rest] = words;
    const id = rest.find((word) => !OF_NODES.includes(word));
    return what !== 'node' || id === undefined ? [] : [`node ${id}`];
  },
  curl: () => [],
  'qemu-img': () => [],
  sha256sum: () => [],
  grep: () => [],
  xargs: () => [],
};

/** `Kind namespace/name` of each object that the command names. */
export const objectsIn = (command: string): readonly string[] =>
  command.split(/ \| | && /).flatMap((part) => {
    const found = read(part);
    const [program = ''] = found.words;
    const reading = PROGRAMS[program];
    if (reading === undefined) throw new Error(`nothing is known of the program ${program}`);
    return reading(found);
  });

const escaped = (text: string): string => text.replaceAll(/[.]/g, '\\$&');

/** True when the text names the object by its kind: with its namespace, or without it if that is `namespace`. */
export function nameIn(text: string, named: string, namespace: string): boolean {
  const [, kind = '', own, name = ''] = /^(\S+) (?:([^/]*)\/)?(.*)$/.exec(named) ?? [];
  // A run has its id, which has slashes, and a node of Ironic is known by its id alone.
  if (kind === 'run' || kind === 'node') return text.includes(named.slice(kind.length + 1));
  const isElsewhere = own !== undefined && own !== namespace;
  const place = own === undefined ? '' : `(?:${escaped(own)}/)${isElsewhere ? '' : '?'}`;
  return new RegExp(`(?<![\\w.-])${escaped(kind)} "?${place}${escaped(name)}(?![\\w-]|\\.\\w)`, 'i').test(text);
}
