// What is said of a database whose tables are not those of this version, although all migrations were applied.
export const OTHER_TABLES = 'the database lacks a table or a column of this version: somebody has changed it; restore a backup, or what was changed';
