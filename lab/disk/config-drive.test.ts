import { describe, expect, test } from 'vitest';
import { decodeConfigDrive } from './config-drive.ts';

/** Made by pycdlib-genisoimage with the arguments Ironic gives: long names by Joliet. */
const JOLIET =
  'H4sIAAAAAAACA+3df0/bRhjA8edSrUWFoolt1VTRcg10on/AkqjtaCdN8oxZrSaxZZuu1TShNASaAklFwrpqa6Xuj/14U3tH1V7CdrYTUSDFVUtHge/HBNvx+e58RHp8xueIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZc8XCkUlOkO93Vpprs6UXre9n98XO2b7lGt+4pcMDcl0+tb0p9ubz8e/8jKero3LUDwbkufDn535eExy/f31IXM3261mXZ9Y/lN7eb35QE/bV3WpULw+UyqUCtp+uNns6HJtvdaqN7rdxrE5XHN0N4rFUrHwVfFGca5QkD1vFHbZm+LwP7Q4XAQdfDByvfgvOmOqS1tasiJNWZUZKe3Zviv+X/nSeeP4P5e+Nff59uYLafyfSNcmXhf/M2v9vidXNpN2aZr20Sdw8uWp2LIs66YFHpj1abN21cxLUpCiXE8+KYXkpc2Wh6a1mtIxy2WpmX1qpuXq0pCumRrvrY4Hl4j4D+I/jpF/+/EfAAAAAAAcWyr5H3vc/x+Si8mS5zvVMLLs03LJrOekbEVOGNFSAAAAAAAc5f6/xPfXK0lvsbsoarv/b1ySHP1/AAAAAACOfv9/oncVYCwZxGeW2vJYGtKSjnSlJnVZG5HLEt8JkIzYikdqxVsAAAAAAMAR6v9L/HwdFff/JX4KihrU/zcuS47+PwAAAAAAR9Ofmc/YD/0z6u9/JAg+Ui/8e1Nqw4rTWRun0v1O7c4xWrigRnuZ7JzZzrjKp4ny/dQve7OVrHqoA6iA/Jo840DicQ4DSxnqD35IDvevamVUSftxo9Xp1upr71g2AAAfjpWMiKgOIvDL/xPdf0qeWCTxqMWBpZzuDWXsxfZhJeu1bqPTfbXYXJpDjsAOADje8X//mDkg/r9FiMw8yziQ+P+bTKZpJs+l83PbITouZbjiRNbSvBXNfl3snQN8omSj0a0tLde6tdlHnXYrrsLUi3iPF1O9b0VQb16F32UqTTI1ks5HdtWg6kTfe8Gdpe0anFfSanSftDfXDqoS8lyupGmujKbz0V21WAydYGc7jCrZ6jQ2kyq8Y+kAgKMg+zv2MlOoa/2v/9ODU4ztvaWQhgcA4FDj//6x+03i/2zyfACJxwgMTDHCwAEAAD6w+L9/7FbZZwjqm4zr7uOykXzJe02WZDk5E6jJrDwyZwNtacl8xjXzvEkT7/3EpN6UtYF5XMu44j0mWyZlw+y/vTcAACeXE7xUZ6M/VBC4/lLx5s2iFd12dODZd3Tgzn/naLcaOYF926qaZT/wIs/2yvHCXXfeCXW46PteEOkFL9C+F7r39IJbdnR4P4ycig6dilWNXDv0y44VOtr2qpFlR3reDW3tL35bdsPbTpDsHPqO7S64thW5XlWH3mJgO7Pa5OC8ktAUabJbcOPFqqmEW7GC+/quV16sONpUxzYHEXlphv2y3KpZqyTZzvLnBgAg8Ut+a6u5nL+V/zn/7CzNAQDACYn/683WWid/64cfn9EaAACcDJP19fbW8ky93VpprnIBAACAE+E/b5fx6QAwAQA=';
/** The same files with Rock Ridge names only. */
const ROCK_RIDGE =
  'H4sIAAAAAAACA+3da2/aVhjA8XOo1qKmRdOq3tJ0OmJ5kb1IZCOtW7tX3uGwWAXbsg9dq2mKWEI6FgJTILtoa6XsxS5fat+o2kfYfAGlSbMyrVHXJP+fgGPD8XkeG6QHGwNCAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAqeuO40qhZlgfDjZ7j5dr//T4dLx3DzQviZtesqsol8VScdfSlf2Hr2Y3VXG9mLsuyllTFk/nrl54+x1Rmi6v8L+KftAb/d6Xakm/r2qO+8Fyzak5Sn+10xupZqffGax3x+PuqVnddO3uuG7NdT5077gfOY544Q7nkBd78KI96yg6eGP8Nan/AAAAAADg9JL5MfZs/78sbuRTYWSCxHr6vLiZzpdE07MmsWwpAAAAAABO8v6/yM6vk6I4xe6GkPv7/6mbosT+PwAAAAAAJ91vM79jl0QX5B9/ijh+S+5FDxfltpf187bPFcudOzyibczLymSQg402C3K+6DQ/7f1s0mzOykMeQwLip/wcB5Ed5zgySnl68CNf3d+DVkWK4TfdwWjcWd96xdgAALw5NmdURHkchV+8nur+bX7Gosg+tTgyyvnJRxmT2j4nRb8z7o7Gz4ctFSOUKOwAgNNd/19eM4+o//+hRM58l3Es9f9ncavoc+ty0V7eL9FZlLmWsd5a3bMrH7uT9wBXpNjujjtrG51xZ+Xr0XCQpbC4ly2xtzj5VQT571P4RSwUXRYuFe2lQxkExn4WxvfX9jO4JsWgO/5uuLN1XEmIp+J20ed2pWgrh7JoJyY+uB0qUuyOujt5Cq8YHQBwEpj4mbxof03rrx+tuXfvup5dNSoO9X0V+/VPjfIDa2K96gXpdBSHNtRhM5t44NdNopJ2FIWxVY0wVlGY+A9Vw28alTxKrGmpxLS8wPo6iZrGS4zSYWA9bVXdT7SK2p80/WTVxPnCSWS03/C1Z/0wUEnYjrVZUekI5rmOach0uIafTQZpEn7Lix+pB2Gz3TIqTUenK2HDYsBpLD9I51r5sCs83QAA5H6s7u72Nqr3qt9Xn1xkcwAAcEbqf7832BpV733+xRO2BgAAZ8N76/3h7sZy8fc+HAAAAOBM+BsidtMAAPAAAA==';

describe('a config drive', () => {
  test.each([
    ['Joliet', JOLIET],
    ['Rock Ridge', ROCK_RIDGE],
  ])('with %s names is read as the installed system would', async (_, packed) => {
    expect(await decodeConfigDrive(packed)).toEqual({
      metaData: { uuid: 'x' },
      userData: '#cloud-config\n',
      networkData: { links: [] },
      files: ['openstack/latest/meta_data.json', 'openstack/latest/network_data.json', 'openstack/latest/user_data'],
    });
  });

  test('which is no ISO image is an error', async () => {
    await expect(decodeConfigDrive(Buffer.from('hello').toString('base64'))).rejects.toThrow(/not an ISO 9660 image/);
  });
});
