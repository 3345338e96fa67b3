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
    ['its image', { image: IMAGE }, image, true],
    ['its image, and a custom step that would change nothing', { image: IMAGE, ...byStep }, image, true],
    ['its custom step', byStep, step, true],
    ['its image and its custom step', { image: IMAGE, ...byStep }, both, true],
    ['another image', { image: OTHER }, image, false],
    ['its image without the custom step', { image: IMAGE }, both, false],
    ['another custom step', { customDeploy: { method: 'other' } }, step, false],
    ['nothing', {}, image, false],
    ['an image with an empty URL', { image: { url: '' } }, image, false],
  ])('that is asked for %s: runs it: %#', (_, wish, recorded, expected) => {
    expect(runsWhatIsAsked({ wish, shown: FORGED }, recorded, false)).toBe(expected);
  });

  test.each(['userData', 'metaData', 'networkData'] as const)(
    'runs what is asked for only with the same %s',
    (data) => {
      const asked = { wish: { image: IMAGE, [data]: cloudInit }, shown: { url: IMAGE.url } };
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
    const asked = { wish: { image: IMAGE }, shown: FORGED };
    expect([true, false].map((hasItsImage) => runsWhatIsAsked(asked, moved, hasItsImage))).toEqual([true, false]);
  });
});

describe('a node without a record of its deployment', () => {
  const shown = { url: IMAGE.url };
  test.each([
    ['the image that the status shows', { image: IMAGE }, shown, false, true],
    ['the custom step that the status shows', byStep, { url: '', method: 'install' }, false, true],
    ['the image that Ironic has, whatever the status shows', { image: IMAGE }, { url: OTHER.url }, true, true],
    ['another image', { image: OTHER }, shown, false, false],
    ['an image after a custom step', { image: IMAGE }, { ...shown, method: 'install' }, true, false],
    ['a custom step', byStep, { url: '' }, true, false],
    ['nothing', {}, shown, true, false],
  ])('that is asked for %s: runs it: %#', (_, wish, status, hasItsImage, expected) => {
    expect(runsWhatIsAsked({ wish, shown: status }, undefined, hasItsImage)).toBe(expected);
  });
});
