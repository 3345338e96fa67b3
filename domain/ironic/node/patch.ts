import { same } from '../../same.ts';

export type PatchOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Desired values by JSON pointer (`/driver_info/deploy_iso`); null: the value must be absent. */
export type WantedValues = Readonly<Record<string, unknown>>;

/** The JSON patch from `current` to the desired values; empty when they are equal. */
export function patchFor(current: object, wanted: WantedValues): readonly PatchOperation[] {
  return Object.entries(wanted).flatMap(([path, value]): readonly PatchOperation[] => {
    const found = valueAt(current, path);
    const absent = found === undefined || found === null;
    if (value === null || value === undefined) return absent ? [] : [{ op: 'remove', path }];
    return same(found, value) ? [] : [{ op: 'add', path, value }];
  });
}

function valueAt(document: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (isRecord(value) ? value[unescaped(key)] : undefined), document);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');
