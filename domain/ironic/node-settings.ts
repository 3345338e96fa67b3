import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import type { IronicJson } from './node/node-json.ts';

/**
 * The fields of a BareMetalHost's spec that registration sends to Ironic as they are: one entry for each. What an
 * operation is started with, what is taken from the object again before a request, what is created or patched, and what
 * leads to another registration follow from it.
 */

type AskedFields = Partial<BareMetalHostSpec>;

/** What Ironic's API supports. */
export interface IronicSupport {
  /** The API has disable_power_off. */
  readonly canKeepPowerOn: boolean;
}

interface Setting<Value extends string | boolean> {
  /** The field, for people. */
  readonly field: string;
  /** The value that the spec asks for. '': none, and Ironic keeps what it has. A flag or mode has its default instead, which is sent. */
  readonly desired: (spec: AskedFields) => Value;
  /** The key of the node in Ironic with this value; absent: it is sent in another way than as one key. */
  readonly node?: {
    readonly key: string;
    readonly value: (value: Value) => unknown;
    readonly needs?: keyof IronicSupport;
  };
}

const setting = <Value extends string | boolean>(
  field: string,
  desired: Setting<Value>['desired'],
  node?: Setting<Value>['node'],
): Setting<Value> => ({ field, desired, ...(node !== undefined && { node }) });

/** How Ironic is to reach the BMC. */
const BMC_SETTINGS = {
  address: setting('spec.bmc.address', ({ bmc }) => bmc?.address ?? ''),
  credentialsName: setting('spec.bmc.credentialsName', ({ bmc }) => bmc?.credentialsName ?? ''),
  disableCertificateVerification: setting(
    'spec.bmc.disableCertificateVerification',
    ({ bmc }) => bmc?.disableCertificateVerification ?? false,
  ),
};

const NODE_SETTINGS = {
  bootMACAddress: setting('spec.bootMACAddress', (spec) => spec.bootMACAddress ?? ''),
  automatedCleaningMode: setting('spec.automatedCleaningMode', (spec) => spec.automatedCleaningMode ?? 'metadata', {
    key: 'automated_clean',
    value: (mode) => mode !== 'disabled',
  }),
  disablePowerOff: setting('spec.disablePowerOff', (spec) => spec.disablePowerOff ?? false, {
    key: 'disable_power_off',
    value: (isDisabled) => isDisabled,
    needs: 'canKeepPowerOn',
  }),
  preprovisioningNetworkDataName: setting(
    'spec.preprovisioningNetworkDataName',
    (spec) => spec.preprovisioningNetworkDataName ?? '',
  ),
};

type ValuesOf<Settings extends Readonly<Record<string, { readonly desired: (spec: AskedFields) => unknown }>>> = {
  readonly [Name in keyof Settings]: ReturnType<Settings[Name]['desired']>;
};

export type BmcSettings = ValuesOf<typeof BMC_SETTINGS>;
export type PlainSettings = ValuesOf<typeof NODE_SETTINGS>;
export type SentSettings = BmcSettings & PlainSettings;

function desiredOf(
  settings: Readonly<Record<string, Pick<Setting<string | boolean>, 'desired'>>>,
  spec: AskedFields,
): unknown {
  return Object.fromEntries(Object.entries(settings).map(([name, { desired }]) => [name, desired(spec)]));
}

export const desiredBmc = (spec: AskedFields): BmcSettings => desiredOf(BMC_SETTINGS, spec) as BmcSettings;

export const desiredSettings = (spec: AskedFields): PlainSettings => desiredOf(NODE_SETTINGS, spec) as PlainSettings;

/** The settings that were sent with an order, which may have other fields. */
export const sentSettings = ({ bmc, ...order }: { readonly bmc: BmcSettings } & PlainSettings): SentSettings => ({
  ...bmc,
  ...(Object.fromEntries(Object.entries(order).filter(([name]) => name in NODE_SETTINGS)) as PlainSettings),
});

/**
 * The fields that differ, with whether Ironic keeps the former value because the host no longer asks for one. A run that
 * began before a setting existed has sent what a spec without it asks for.
 */
export const changedSettings = (
  sent: Partial<SentSettings>,
  desired: SentSettings,
): readonly { readonly name: keyof SentSettings; readonly field: string; readonly isKept: boolean }[] =>
  Object.entries({ ...BMC_SETTINGS, ...NODE_SETTINGS })
    .map(([name, setting]) => ({ ...setting, name: name as keyof SentSettings }))
    .filter(({ name, desired: ofSpec }) => (sent[name] ?? ofSpec({})) !== desired[name])
    .map(({ name, field }) => ({ name, field, isKept: desired[name] === '' }));

/** The keys of the node in Ironic that follow from settings alone. */
export const nodeFields = (order: PlainSettings, supports: IronicSupport): IronicJson =>
  Object.fromEntries(
    (Object.entries(NODE_SETTINGS) as [keyof PlainSettings, Setting<string | boolean>][]).flatMap(([name, { node }]) =>
      node === undefined || (node.needs !== undefined && !supports[node.needs])
        ? []
        : [[node.key, node.value(order[name])]],
    ),
  );
