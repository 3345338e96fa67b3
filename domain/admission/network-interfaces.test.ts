import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interfaceProblems } from './baremetalhost.ts';

const duplicate = (index: number, selector: string): string =>
  `networkInterfaces[${index}]: duplicate interface selector for "${selector}"`;

describe('an interface', () => {
  test('is refused when one before it has the same name or MAC address', () => {
    const selector = fc.record(
      { name: fc.constantFrom('', 'eno1', 'ENO1', 'eno2'), macAddress: fc.constantFrom('', 'aa:bb', 'AA:bb') },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(selector, { maxLength: 8 }), (all) => {
        const selected = all.map(({ name, macAddress }) => (name && macAddress ? '' : name || macAddress || ''));
        const refused = selected.flatMap((text, index) => {
          const isKnown = selected.slice(0, index).some((other) => other.toLowerCase() === text.toLowerCase());
          return text !== '' && isKnown ? [duplicate(index, text)] : [];
        });
        expect(interfaceProblems(all).filter((problem) => problem.includes('duplicate'))).toEqual(refused);
      }),
    );
  });

  test('is compared with 50,000 others', () => {
    const all = Array.from({ length: 50_000 }, (_, at) => ({ name: `eno${at}` }));
    expect(interfaceProblems([...all, { name: 'ENO49999' }])).toEqual([duplicate(50_000, 'ENO49999')]);
  });
});
