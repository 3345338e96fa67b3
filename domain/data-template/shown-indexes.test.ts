import { describe, expect, test } from 'vitest';
import { aTemplate, someData } from '../../test/builders/data-template.ts';
import { begin } from '../allocation/memory.ts';
import { templateEntity } from './entity.ts';
import { absorb } from './memory.ts';

describe('the indexes in the status of a Metal3DataTemplate', () => {
  test('are the lowest 512 of more', () => {
    const data = Array.from({ length: 600 }, (_, at) => someData(599 - at, `claim-${599 - at}`));
    const lowest = Array.from({ length: 512 }, (_, index) => ({ name: `claim-${index}`, index }));
    expect(templateEntity.show(begin(aTemplate({ data }))).status).toEqual({ indexes: lowest });
  });

  test('lack that of a Metal3Data as soon as it is gone', () => {
    const memory = begin(aTemplate({ data: [someData(0, 'claim-0'), someData(1, 'claim-1')] }));
    const after = absorb(memory, aTemplate({ data: [someData(1, 'claim-1')] }));
    expect(templateEntity.show(after).status).toEqual({ indexes: [{ name: 'claim-1', index: 1 }] });
    expect(templateEntity.show(absorb(after, aTemplate())).status).toEqual({});
  });
});
