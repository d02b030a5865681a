// Converts the column types that the store uses to JavaScript values, whatever the settings of the database and its user.
import pg from 'pg';

const bytesOfOther = pg.types.getTypeParser(pg.types.builtins.BYTEA);

/** As `bytea_output` of the database or its user has it: `hex`, or `escape`, which never begins with a backslash and x. */
function bytesOf(text: string): Uint8Array {
  return new Uint8Array(text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : bytesOfOther(text));
}

export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8) return Number;
    if (oid === pg.types.builtins.BYTEA) return bytesOf;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;
