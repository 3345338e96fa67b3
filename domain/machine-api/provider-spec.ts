import type { SecretReference } from '../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../api/metal3machine/schema.ts';

/** The desired state in `spec.providerSpec.value` of a Machine, in either of its two kinds. Plain JSON. */
export interface HostWish {
  readonly image?: { readonly url: string; readonly checksum: string };
  readonly customDeploy?: { readonly method: string };
  /** In the namespace of the Machine. */
  readonly userData?: SecretReference;
  readonly hostSelector?: Metal3MachineSpec['hostSelector'];
}

/** Why a Machine gets no host before somebody changes its spec. */
export interface InvalidWish {
  readonly invalid: string;
}

/** Deployed for Machines whose providerSpec has a selector alone. */
export interface DefaultDeployment {
  readonly image?: { readonly url: string; readonly checksum: string };
  /** Name of a Secret in the namespace of the Machine. */
  readonly userData?: string;
}

export const isInvalid = (wish: HostWish | InvalidWish): wish is InvalidWish => 'invalid' in wish;

const SPEC_KIND = 'BareMetalMachineProviderSpec';
/** The kind in the first documents of 2019. */
const CONFIG_KIND = 'BareMetalProviderConfig';
const NO_DEFAULT = `${CONFIG_KIND} names no image, and no default is configured: set MACHINE_API_IMAGE_URL and MACHINE_API_IMAGE_CHECKSUM`;

/** The wish in a providerSpec value; an unknown key is an error that names it. */
export function hostWish(
  value: unknown,
  machine: { readonly namespace: string },
  defaults: DefaultDeployment,
): HostWish | InvalidWish {
  if (value === undefined || value === null) return { invalid: 'ProviderSpec is missing' };
  const problems: string[] = [];
  const read = readerOf(problems);
  const kind = isTable(value) ? value['kind'] : undefined;
  const wish = kind === CONFIG_KIND ? configWish(read(value, ''), defaults) : specWish(read(value, ''));
  if (kind !== undefined && kind !== CONFIG_KIND && kind !== SPEC_KIND) {
    problems.unshift(`kind ${JSON.stringify(kind)} is neither ${SPEC_KIND} nor ${CONFIG_KIND}`);
  }
  if (problems.length > 0) return { invalid: `ProviderSpec: ${problems.join('; ')}` };
  return complete(wish, machine, kind === CONFIG_KIND);
}

/** Checks the wish, and leaves out empty fields. */
function complete(
  { image, userData, ...wish }: HostWish,
  { namespace }: { readonly namespace: string },
  isConfig: boolean,
): HostWish | InvalidWish {
  const missing = [...(image?.url ? [] : ['image.url']), ...(image?.checksum ? [] : ['image.checksum'])];
  if (wish.customDeploy === undefined && missing.length > 0) {
    return { invalid: isConfig ? NO_DEFAULT : `ProviderSpec: ${missing.join(', ')} missing` };
  }
  if (userData?.namespace && userData.namespace !== namespace) {
    return { invalid: `ProviderSpec: userData.namespace must be ${namespace}, the namespace of the Machine` };
  }
  return {
    ...(image?.url && image.checksum && { image }),
    ...wish,
    ...(userData?.name && { userData: { name: userData.name, namespace } }),
  };
}

function specWish(spec: Reader): HostWish {
  spec.knows('apiVersion', 'kind', 'metadata', 'image', 'customDeploy', 'userData', 'hostSelector');
  const image = spec.table('image')?.knows('url', 'checksum');
  const method = spec.table('customDeploy')?.knows('method').text('method');
  const userData = spec.table('userData')?.knows('name', 'namespace');
  const selector = spec.table('hostSelector')?.knows('matchLabels', 'matchExpressions');
  const namespace = userData?.text('namespace');
  return {
    ...(image && { image: { url: image.text('url'), checksum: image.text('checksum') } }),
    ...(method && { customDeploy: { method } }),
    ...(userData && { userData: { name: userData.text('name'), ...(namespace && { namespace }) } }),
    ...(selector && { hostSelector: selectorIn(selector) }),
  };
}

function selectorIn(selector: Reader): NonNullable<HostWish['hostSelector']> {
  const matchLabels = selector.texts('matchLabels');
  const matchExpressions = selector.list('matchExpressions')?.map((each) => {
    each.knows('key', 'operator', 'values');
    return { key: each.text('key'), operator: each.text('operator'), values: each.words('values') };
  });
  return { ...(matchLabels && { matchLabels }), ...(matchExpressions && { matchExpressions }) };
}

/** The wish in the first documents' kind, which names no image: the image comes from the configuration. */
function configWish(config: Reader, { image, userData }: DefaultDeployment): HostWish {
  config.knows('apiVersion', 'kind', 'metadata', 'selector');
  const matchLabels = config.texts('selector');
  return {
    ...(image && { image }),
    ...(userData && { userData: { name: userData } }),
    ...(matchLabels && { hostSelector: { matchLabels } }),
  };
}

type Table = Readonly<Record<string, unknown>>;
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the fields of one object, and notes what is wrong with them. */
interface Reader {
  /** Notes each key that is not among these. */
  knows(...keys: readonly string[]): Reader;
  /** '' when absent. */
  text(key: string): string;
  table(key: string): Reader | undefined;
  texts(key: string): Readonly<Record<string, string>> | undefined;
  words(key: string): string[];
  list(key: string): readonly Reader[] | undefined;
}

function readerOf(problems: string[]): (value: unknown, at: string) => Reader {
  const reader = (value: unknown, at: string): Reader => {
    const table: Table = isTable(value) ? value : {};
    if (!isTable(value)) problems.push(`${at === '' ? 'the value' : at} is not an object`);
    const pathOf = (key: string): string => (at === '' ? key : `${at}.${key}`);
    const given = (key: string): unknown => (table[key] === null ? undefined : table[key]);
    const wrong = (key: string, what: string): void => void problems.push(`${pathOf(key)} is not ${what}`);
    const self: Reader = {
      knows(...keys) {
        for (const key of Object.keys(table)) if (!keys.includes(key)) problems.push(`unknown field ${pathOf(key)}`);
        return self;
      },
      text(key) {
        const found = given(key) ?? '';
        if (typeof found === 'string') return found;
        wrong(key, 'a text');
        return '';
      },
      table: (key) => (given(key) === undefined ? undefined : reader(given(key), pathOf(key))),
      texts(key) {
        const found = given(key);
        if (found === undefined) return undefined;
        const texts = reader(found, pathOf(key));
        return Object.fromEntries(Object.keys(isTable(found) ? found : {}).map((name) => [name, texts.text(name)]));
      },
      words(key) {
        const found = given(key) ?? [];
        if (Array.isArray(found) && found.every((word) => typeof word === 'string')) return found;
        wrong(key, 'a list of texts');
        return [];
      },
      list(key) {
        const found = given(key);
        if (found === undefined) return undefined;
        if (Array.isArray(found)) return found.map((each: unknown, index) => reader(each, `${pathOf(key)}[${index}]`));
        wrong(key, 'a list');
        return [];
      },
    };
    return self;
  };
  return reader;
}
