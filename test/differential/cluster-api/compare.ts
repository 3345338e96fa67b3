import { parse } from 'yaml';
import {
  OPERATIONS_ANNOTATION,
  REQUEST_ANNOTATION,
  UNDEPLOYING_ANNOTATION,
} from '../../../api/baremetalhost/values.ts';
import { isObject, type Json } from '../../../kube/merge-patch.ts';
import type { Account } from './account.ts';

/**
 * Temper continues this message with the reason why no host is chosen; `domain/machine/choose-host/` tests these words.
 */
export const NO_HOST = 'no available host found.';
const WHY_NO_HOST = /no available host found\. (?!Requeuing)(?:(?!; [^;\n]*: \d+ attempts? since )[^\n])*/g;
/** `domain/entity/failing-request.ts` writes it: a request that keeps failing, with the last answer to it. */
const REPEATED = /; [^;\n]*: \d+ attempts? since \S+, last answer: ([^\n]*)/g;
/** `kube/client.ts` begins its errors like this. There is no status where there was no answer. */
const OF_API_SERVER = /^(?:GET|POST|PUT|PATCH|DELETE) \S+: (?:(\d{3}) )?/;
const BUSY = /^(?:408|409|429|5\d\d)$/;
const NO_ANSWER = /no answer|timed? ?out|deadline exceeded/i;

/** While the lab is busy, requests succeed later. Any other answer may be the same for ever, which is a difference. */
function isTransient(answer: string): boolean {
  const request = OF_API_SERVER.exec(answer);
  if (request === null) return NO_ANSWER.test(answer);
  const [, status] = request;
  return status === undefined || BUSY.test(status);
}

const withoutTransient = (text: string): string =>
  text.replace(REPEATED, (said, answer: string) => (isTransient(answer) ? '' : said));

/**
 * Leaves out a status that no controller has written: v1beta1 has one in each object, and what is created in v1beta1 is
 * stored with it, by upstream's conversion as by ours.
 */
export const withoutEmptyStatus = ({ refused, rests }: Account): Account => ({
  refused,
  rests: mapValues(rests, (objects) =>
    mapValues(objects, ({ status, ...rest }) => (isUnwritten(status) ? rest : { ...rest, status })),
  ),
});

const isUnwritten = (status: unknown): boolean =>
  status === undefined ||
  (isObject(status) && Object.entries(status).every(([key, value]) => key === 'ready' && value === false));

/** Leaves out what the lives of hosts add, which upstream's controllers of Cluster API do not write. */
export const comparable = ({ refused, rests }: Account): Account => ({
  refused,
  rests: mapValues(rests, (objects) =>
    mapValues(objects, (object, key) => inWords(settled(key.split(' ')[0] ?? '', object)) as Json),
  ),
});

function inWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inWords);
  if (isObject(value)) return mapValues(value, inWords);
  return typeof value === 'string' ? withoutTransient(value).replace(WHY_NO_HOST, NO_HOST) : value;
}

const HOSTS_OWN = {
  annotations: [
    'baremetalhost.metal3.io/status',
    'inspect.metal3.io/hardwaredetails',
    OPERATIONS_ANNOTATION,
    REQUEST_ANNOTATION,
    UNDEPLOYING_ANNOTATION,
  ],
  labels: ['environment.metal3.io'],
  finalizers: ['baremetalhost.metal3.io', 'baremetalhost.metal3.io/secret'],
};

function settled(kind: string, { metadata, ...rest }: Json): Json {
  const kept = Object.entries(isObject(metadata) ? metadata : {})
    .map(([field, value]): [string, unknown] => [field, withoutHosts(kind, field, value)])
    .filter(([, value]) => !isEmpty(value));
  const { data, spec, ...others } = rest;
  return {
    ...others,
    ...(isObject(spec) && { spec: ofOperators(kind, spec) }),
    metadata: Object.fromEntries(kept),
    ...(isObject(data) && { data: mapValues(data, parsed) }),
  };
}

/** baremetal-operator writes the architecture of a host, which it knows from inspection. */
function ofOperators(kind: string, spec: Json): Json {
  const { architecture: _, ...rest } = spec;
  return kind === 'BareMetalHost' ? rest : spec;
}

/** YAML may be written in several ways. Consumers read version 1.1 of it. */
const parsed = (text: unknown): unknown => parse(String(text), { version: '1.1' });

function withoutHosts(kind: string, field: string, value: unknown): unknown {
  if (field === 'finalizers' && Array.isArray(value))
    return value
      .map(String)
      .filter((each) => !HOSTS_OWN.finalizers.includes(each))
      .toSorted();
  if (field === 'ownerReferences' && Array.isArray(value))
    return value.filter((owner) => !(kind === 'Secret' && isObject(owner) && owner['kind'] === 'BareMetalHost'));
  if ((field === 'annotations' || field === 'labels') && isObject(value))
    return Object.fromEntries(Object.entries(value).filter(([key]) => !HOSTS_OWN[field].includes(key)));
  return value;
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

export const mapValues = <Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Readonly<Record<string, Result>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
