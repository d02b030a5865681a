// `gatehouse key ...`: all commands on keys.
import type { Group } from '../command.ts';
import { decrypt, encrypt } from './encrypt.ts';
import { grant, grants, ungrant } from './grant.ts';
import { create, destroy, recover, revoke, rotate, tag, untag } from './life.ts';
import { list, show } from './list.ts';
import { mac, sign, verify } from './sign.ts';
import { exportKey, importKey, unwrap, wrap } from './transport.ts';

export const KEY_GROUP: Group = {
  name: 'key',
  about: 'Keys: create, use, share, move and end them',
  commands: [
    create,
    list,
    show,
    encrypt,
    decrypt,
    sign,
    verify,
    mac,
    wrap,
    unwrap,
    importKey,
    exportKey,
    rotate,
    recover,
    revoke,
    destroy,
    grant,
    ungrant,
    grants,
    tag,
    untag,
  ],
};
