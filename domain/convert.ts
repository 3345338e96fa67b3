import { type Convertible, Inconvertible } from './conversion/convertible.ts';
import { AT_WEBHOOKS, type KindAtWebhooks } from './kinds.ts';

const KNOWN: ReadonlyMap<string, KindAtWebhooks> = new Map(AT_WEBHOOKS.map((each) => [each.of.kind, each]));

/** True for an object of the version that is stored. */
export const isStored = ({ kind, apiVersion }: Pick<Convertible, 'kind' | 'apiVersion'>): boolean =>
  KNOWN.get(kind)?.of.apiVersion === apiVersion;

/** Converts the object to another version of its kind. Throws `Inconvertible`. */
export function convertTo(apiVersion: string, object: Convertible): Convertible {
  if (object.apiVersion === apiVersion) return object;
  const { of, conversion } = KNOWN.get(object.kind) ?? {};
  const isHub = (version: string): boolean => version === of?.apiVersion;
  const isOlder = (version: string): boolean => of?.olderApiVersion !== undefined && version === of.olderApiVersion;
  if (conversion !== undefined && isOlder(object.apiVersion) && isHub(apiVersion))
    return { ...conversion.toHub(object), apiVersion };
  if (conversion !== undefined && isHub(object.apiVersion) && isOlder(apiVersion))
    return { ...conversion.fromHub(object), apiVersion };
  const way = `${object.apiVersion} to ${apiVersion}`;
  throw new Inconvertible(`no conversion from ${way} for the kind ${object.kind}`);
}
