import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { same } from '../../../domain/same.ts';
import type { Json } from '../objects.ts';
import { type Answer, GROUP, METADATA, type Recorded, type Version } from './corpus.ts';

/** The first line of a file: what was recorded and when. */
export type Header = Readonly<Record<'upstream' | 'commit' | 'recorded', string>>;

interface Line {
  readonly sample: string;
  readonly from: Version;
  /** Without what every object has, as is the answer. */
  readonly object: Json;
  readonly answer: Answer;
}

const fileOf = (kind: string): string => join(import.meta.dirname, 'recorded', `${kind.toLowerCase()}.jsonl`);
const linesOf = (kind: string): readonly string[] => readFileSync(fileOf(kind), 'utf8').trim().split('\n');

export const readHeader = (kind: string): Header => JSON.parse(linesOf(kind)[0] ?? '{}') as Header;

export const readAnswers = (kind: string): readonly Recorded[] =>
  linesOf(kind)
    .slice(1)
    .map((line) => {
      const { sample, from, object, answer } = JSON.parse(line) as Line;
      const whole = (parts: Json, version: Version): Json => ({
        apiVersion: `${GROUP}/${version}`,
        kind,
        metadata: METADATA,
        ...parts,
      });
      return {
        sample,
        object: whole(object, from),
        answer: 'refused' in answer ? answer : { object: whole(answer.object, otherThan(from)) },
      };
    });

export function writeAnswers(kind: string, header: Header, recorded: readonly Recorded[]): void {
  const lines = recorded.map(({ sample, object, answer }): Line => {
    const kept = 'refused' in answer ? answer : { object: bare(answer.object) };
    return { sample, from: versionOf(object), object: bare(object), answer: kept };
  });
  writeFileSync(fileOf(kind), [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function bare(object: Json): Json {
  const { apiVersion: _, kind: __, metadata, ...parts } = object;
  return same(metadata, METADATA) ? parts : { metadata, ...parts };
}

export const versionOf = ({ apiVersion }: Json): Version => (apiVersion === `${GROUP}/v1beta1` ? 'v1beta1' : 'v1beta2');
const otherThan = (version: Version): Version => (version === 'v1beta1' ? 'v1beta2' : 'v1beta1');

/** A request for the other version of one object. */
export function reviewOf(object: Json): Json {
  const desiredAPIVersion = `${GROUP}/${otherThan(versionOf(object))}`;
  const request = { uid: 'u1', desiredAPIVersion, objects: [object] };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
}

export function answerIn(review: unknown): Answer {
  const { response } = review as {
    readonly response: {
      readonly result: { readonly status: string; readonly message?: string };
      readonly convertedObjects?: readonly Json[];
    };
  };
  const [object] = response.convertedObjects ?? [];
  return response.result.status === 'Success' && object !== undefined
    ? { object }
    : { refused: response.result.message ?? '' };
}
