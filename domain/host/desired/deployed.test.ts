import { describe, expect, test } from 'vitest';
import { IMAGE } from '../../../test/builders/host.ts';
import { recordOf } from '../../ironic/deployment/record.ts';
import { runsWhatIsAsked } from './deployed.ts';

const OTHER = { ...IMAGE, url: 'http://images/b.raw' };
const cloudInit = { name: 'cloud-init', namespace: 'metal' };
const byStep = { customDeploy: { method: 'install' } };
/** What a forged status shows. */
const FORGED = { url: 'http://images/forged', method: 'forged' };

describe('a node with a record of its deployment', () => {
  const image = recordOf({ image: IMAGE }, {});
  const both = recordOf({ image: IMAGE, customDeployMethod: 'install' }, {});
  const step = recordOf({ customDeployMethod: 'install' }, {});

  test.each([
    ['its image', true, { image: IMAGE }, image],
    ['its image, and a custom step that would change nothing', true, { image: IMAGE, ...byStep }, image],
    ['its custom step', true, byStep, step],
    ['its image and its custom step', true, { image: IMAGE, ...byStep }, both],
    ['another image', false, { image: OTHER }, image],
    ['its image without the custom step', false, { image: IMAGE }, both],
    ['another custom step', false, { customDeploy: { method: 'other' } }, step],
    ['nothing', false, {}, image],
    ['an image with an empty URL', false, { image: { url: '' } }, image],
  ])('that is asked for %s runs it: %s', (_, expected, desired, recorded) => {
    expect(runsWhatIsAsked({ desired, shown: FORGED }, recorded, false)).toBe(expected);
  });

  test.each(['userData', 'metaData', 'networkData'] as const)(
    'runs what is asked for only with the same %s',
    (data) => {
      const asked = { desired: { image: IMAGE, [data]: cloudInit }, shown: { url: IMAGE.url } };
      const runs = (deployed?: object) => runsWhatIsAsked(asked, recordOf({ image: IMAGE }, deployed), true);
      expect(runs({ [data]: { ...cloudInit } })).toBe(true);
      expect(runs({ [data]: { ...cloudInit, name: 'old' } })).toBe(false);
      expect(runs({})).toBe(false);
      // What is not known is no reason to erase it.
      expect(runs()).toBe(true);
    },
  );

  test('runs the image that Ironic describes, whatever the record calls it', () => {
    const moved = recordOf({ image: { url: 'http://images/a.raw?hidden=of-an-earlier-uid' } }, {});
    const asked = { desired: { image: IMAGE }, shown: FORGED };
    expect([true, false].map((hasItsImage) => runsWhatIsAsked(asked, moved, hasItsImage))).toEqual([true, false]);
  });
});

describe('a node without a record of its deployment', () => {
  const shown = { url: IMAGE.url };
  test.each([
    ['the image that the status shows', true, { image: IMAGE }, shown, false],
    ['the custom step that the status shows', true, byStep, { url: '', method: 'install' }, false],
    ['the image that Ironic has, whatever the status shows', true, { image: IMAGE }, { url: OTHER.url }, true],
    ['another image', false, { image: OTHER }, shown, false],
    ['an image after a custom step', false, { image: IMAGE }, { ...shown, method: 'install' }, true],
    ['a custom step', false, byStep, { url: '' }, true],
    ['nothing', false, {}, shown, true],
  ])('that is asked for %s runs it: %s', (_, expected, desired, status, hasItsImage) => {
    expect(runsWhatIsAsked({ desired, shown: status }, undefined, hasItsImage)).toBe(expected);
  });
});
