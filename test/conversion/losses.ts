import type { Json } from './objects.ts';

/**
 * The known losses of a conversion to the other version and back; docs/conformance-capm3.md, section 3, has a row for
 * each. Written independently of the conversion code, so that a mistake in one of them is found.
 */
type Change = (value: Json) => Json;
interface Losses {
  readonly spec: Change;
  readonly status?: Change;
  /** What an object without a status has afterwards. */
  readonly noStatus?: Json;
}

type Test = (value: unknown) => boolean;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmpty: Test = (value) =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
const isZero: Test = (value) => value === 0;
const isFalse: Test = (value) => value === false;
const always: Test = () => true;

/** Removes a field if it exists and satisfies the check. */
const drop =
  (test: Test, ...names: readonly string[]): Change =>
  (value) =>
    Object.fromEntries(Object.entries(value).filter(([name, field]) => !(names.includes(name) && test(field))));

/** Changes the object in a field, or each object in a list or map there. */
const inside =
  (name: string, ...changes: readonly Change[]): Change =>
  (value) => {
    const field = value[name];
    if (Array.isArray(field)) return { ...value, [name]: field.map((item) => all(...changes)(item as Json)) };
    return isObject(field) ? { ...value, [name]: all(...changes)(field) } : value;
  };

const each =
  (change: Change): Change =>
  (value) =>
    Object.fromEntries(Object.entries(value).map(([name, item]) => [name, isObject(item) ? change(item) : item]));

const all =
  (...changes: readonly Change[]): Change =>
  (value) =>
    changes.reduce((current, change) => change(current), value);

const add =
  (fields: Json): Change =>
  (value) => ({ ...fields, ...value });

const sorted =
  (name: string, by: (item: Json) => string | number): Change =>
  (value) => {
    const list = value[name];
    if (!Array.isArray(list)) return value;
    const items = (list as Json[]).toSorted((a, b) => (by(a) < by(b) ? -1 : Number(by(a) > by(b))));
    return { ...value, [name]: items };
  };

const reference = (...names: readonly string[]): Change =>
  all(
    ...names.map((name) =>
      inside(
        name,
        drop(always, 'apiVersion', 'fieldPath', 'kind', 'resourceVersion', 'uid'),
        drop(isEmpty, 'name', 'namespace'),
      ),
    ),
  );

// Metal3Cluster

const domain = all(drop(isFalse, 'controlPlane'), drop(isEmpty, 'attributes'));
const NOT_READY = { ready: false };
const oldDomains = all(inside('failureDomains', each(domain)), drop(isEmpty, 'failureDomains'));
const newDomains = all(
  inside('failureDomains', domain),
  sorted('failureDomains', ({ name }) => String(name)),
);

const oldCluster: Change = (spec) => {
  const { noCloudProvider, ...rest } = oldDomains(spec);
  const enabled =
    rest['cloudProviderEnabled'] ?? (noCloudProvider === undefined ? undefined : noCloudProvider !== true);
  const { host, port } = (rest['controlPlaneEndpoint'] ?? {}) as Json;
  const known = host === '' && port === 0 ? drop(always, 'controlPlaneEndpoint')(rest) : rest;
  return enabled === undefined ? known : { ...known, cloudProviderEnabled: enabled, noCloudProvider: enabled !== true };
};

const oldStatus = all(
  add(NOT_READY),
  inside('v1beta2', drop(isEmpty, 'conditions')),
  drop(isEmpty, 'conditions', 'v1beta2'),
);
const newStatus = all(
  inside('deprecated', inside('v1beta1', drop(isEmpty, 'conditions')), drop(isEmpty, 'v1beta1')),
  drop(isEmpty, 'conditions', 'deprecated'),
);

// Metal3Machine

const selector = all(
  inside('hostSelector', drop(isEmpty, 'matchLabels', 'matchExpressions')),
  drop(isEmpty, 'hostSelector'),
);
const oldSelector = all(
  add({ hostSelector: {} }),
  inside('hostSelector', drop(isEmpty, 'matchLabels', 'matchExpressions')),
);
const machine = all(selector, reference('dataTemplate'), drop(isEmpty, 'dataTemplate'));
const oldMachine = all(
  oldSelector,
  reference('dataTemplate'),
  drop(isEmpty, 'dataTemplate'),
  drop(isEmpty, 'providerID', 'failureDomain'),
  inside('image', drop(isEmpty, 'checksum')),
  drop((deploy) => isObject(deploy) && deploy['method'] === '', 'customDeploy'),
);
const renderedData = all(reference('renderedData'), drop(isEmpty, 'renderedData'));
const template = (change: Change): Change => inside('template', inside('spec', change));

// Metal3DataTemplate

const LISTS_OF_METADATA = [
  'strings',
  'objectNames',
  'indexes',
  'namespaces',
  'ipAddressesFromIPPool',
  'prefixesFromIPPool',
  'gatewaysFromIPPool',
  'dnsServersFromIPPool',
  'fromHostInterfaces',
  'fromLabels',
  'fromAnnotations',
];
const index = all(drop(isZero, 'offset'));
const fromInterface = drop(isFalse, 'fromBootMAC');
const oldMetaData = all(
  inside('indexes', index, drop(isZero, 'step'), drop(isEmpty, 'prefix', 'suffix')),
  inside('fromHostInterfaces', fromInterface, drop(isEmpty, 'interface')),
  drop(isEmpty, ...LISTS_OF_METADATA),
);

const oldMac = inside('macAddress', add({ string: '', fromHostInterface: '' }));
const oldPool: Change = (value) => {
  const { kind = '', name = '', apiGroup } = (value['fromPoolRef'] ?? {}) as Json;
  return { ...value, fromPoolRef: { kind, name, ...(apiGroup ? { apiGroup } : {}) } };
};
const services = all(inside('services', drop(isEmpty, 'dns', 'dnsFromIPPool')), drop(isEmpty, 'services'));
const oldServices = all(add({ services: {} }), inside('services', drop(isEmpty, 'dns', 'dnsFromIPPool')));
const routes = (ofServices: Change, ...inGateway: readonly Change[]): Change =>
  all(inside('routes', ofServices, drop(isZero, 'prefix'), inside('gateway', ...inGateway)), drop(isEmpty, 'routes'));
const oldRoutes = routes(oldServices, drop(isEmpty, 'fromIPPool'), oldPool);
const NETWORKS = ['ipv4', 'ipv6', 'ipv4DHCP', 'ipv6DHCP', 'ipv6SLAAC'];

const oldNetworkData = all(
  inside(
    'links',
    ...['ethernets', 'bonds', 'vlans'].map((kind) => inside(kind, drop(isEmpty, 'name', 'parameters'), oldMac)),
    drop(isEmpty, 'ethernets', 'bonds', 'vlans'),
  ),
  inside(
    'networks',
    ...NETWORKS.map((kind) => inside(kind, oldRoutes)),
    inside('ipv4', drop(isEmpty, 'ipAddressFromIPPool'), oldPool),
    inside('ipv6', oldPool),
    drop(isEmpty, ...NETWORKS),
  ),
  oldServices,
  add({ links: {}, networks: {} }),
);
const newNetworkData = all(
  inside(
    'links',
    inside(
      'bonds',
      sorted('parameters', ({ name }) => String(name)),
      inside(
        'parameters',
        drop((value) => value === null, 'value'),
      ),
    ),
  ),
  inside('networks', ...NETWORKS.map((kind) => inside(kind, routes(services)))),
  services,
  drop(isEmpty, 'links', 'networks'),
);

// Metal3Remediation

const UNITS: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1, ms: 0.001 };

/** The generator uses one unit only. */
const wholeSeconds: Change = (strategy) => {
  const timeout = strategy['timeout'];
  if (typeof timeout !== 'string') return strategy;
  const [, count = '', unit = ''] = /^(-?[\d.]+)(\D+)$/.exec(timeout) ?? [];
  const seconds = Math.trunc(Number(count) * (UNITS[unit] ?? Number.NaN));
  const { timeout: _, ...rest } = strategy;
  return seconds === 0 ? rest : { ...rest, timeout: inGo(seconds) };
};

function inGo(seconds: number): string {
  const all = Math.abs(seconds);
  const [h, m, s] = [Math.floor(all / 3_600), Math.floor((all % 3_600) / 60), all % 60];
  const text = h > 0 ? `${h}h${m}m${s}s` : m > 0 ? `${m}m${s}s` : `${s}s`;
  return seconds < 0 ? `-${text}` : text;
}

const oldRemediation = inside('strategy', drop(isEmpty, 'type'), drop(isZero, 'retryLimit'), wholeSeconds);
const oldRemediationStatus = all(drop(isEmpty, 'phase'), drop(isZero, 'retryCount'));
const same: Change = (value) => value;
const NO_ERROR = { errorMessage: '' };

/** The expected result after a v1beta1 object was converted to v1beta2 and back. */
export const LOSSES_OF_V1BETA1: Readonly<Record<string, Losses>> = {
  Metal3Cluster: { spec: oldCluster, status: all(oldStatus, oldDomains), noStatus: NOT_READY },
  Metal3ClusterTemplate: { spec: template(oldCluster) },
  Metal3Machine: {
    spec: oldMachine,
    status: all(oldStatus, drop(always, 'phase'), renderedData, drop(isEmpty, 'addresses')),
    noStatus: NOT_READY,
  },
  Metal3MachineTemplate: { spec: all(add({ nodeReuse: false }), template(oldMachine)) },
  Metal3DataTemplate: {
    spec: all(
      drop(always, 'templateReference'),
      inside('metaData', oldMetaData),
      inside('networkData', oldNetworkData),
    ),
    status: drop(isEmpty, 'indexes'),
  },
  Metal3Data: {
    spec: all(drop(always, 'templateReference'), drop(isZero, 'index'), reference('claim', 'template')),
    status: add({ ...NOT_READY, ...NO_ERROR }),
    noStatus: { ...NOT_READY, ...NO_ERROR },
  },
  Metal3DataClaim: { spec: reference('template'), status: all(renderedData, add(NO_ERROR)), noStatus: NO_ERROR },
  Metal3Remediation: { spec: oldRemediation, status: oldRemediationStatus },
  Metal3RemediationTemplate: { spec: template(oldRemediation), status: inside('status', oldRemediationStatus) },
};

/** The expected result after a v1beta2 object was converted to v1beta1 and back. */
export const LOSSES_OF_V1BETA2: Readonly<Record<string, Losses>> = {
  Metal3Cluster: { spec: newDomains, status: all(newStatus, newDomains), noStatus: {} },
  Metal3ClusterTemplate: { spec: template(newDomains) },
  Metal3Machine: { spec: machine, status: all(newStatus, renderedData), noStatus: {} },
  Metal3MachineTemplate: { spec: all(drop(isFalse, 'nodeReuse'), template(machine)) },
  Metal3DataTemplate: {
    spec: all(
      drop(isEmpty, 'clusterName'),
      inside('metaData', inside('indexes', index), inside('fromHostInterfaces', fromInterface)),
      inside('networkData', newNetworkData),
    ),
    status: sorted('indexes', ({ index: number }) => Number(number)),
  },
  Metal3Data: {
    spec: all(add({ index: 0 }), drop(isEmpty, 'claim', 'template')),
    status: add(NOT_READY),
    noStatus: NOT_READY,
  },
  Metal3DataClaim: { spec: drop(isEmpty, 'template'), status: drop(isEmpty, 'renderedData'), noStatus: {} },
  Metal3Remediation: { spec: same },
  Metal3RemediationTemplate: { spec: same, status: drop(isEmpty, 'status') },
};
