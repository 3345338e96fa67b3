import { type Convertible, Inconvertible } from './convertible.ts';
import { conversions } from './kinds.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const [OLD, HUB] = [`${GROUP}/v1beta1`, `${GROUP}/v1beta2`];

/** Converts the object to another version of its kind. Throws `Inconvertible`. */
export function convertTo(apiVersion: string, object: Convertible): Convertible {
  if (object.apiVersion === apiVersion) return object;
  const conversion = conversions[object.kind];
  const way = `${object.apiVersion} to ${apiVersion}`;
  if (conversion !== undefined && way === `${OLD} to ${HUB}`) return { ...conversion.toHub(object), apiVersion };
  if (conversion !== undefined && way === `${HUB} to ${OLD}`) return { ...conversion.fromHub(object), apiVersion };
  throw new Inconvertible(`no conversion from ${way} for the kind ${object.kind}`);
}
