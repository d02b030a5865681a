// Marks statements whose best plan depends on the values: how many rows have them, and how far a list is read.

const MARK = '/* planned anew */ ';

/**
 * PostgreSQL plans such a statement each time for its values, which takes some tenths of a millisecond. A statement that is prepared may after five runs
 * get one plan for all values, which for a filter may be to go through all rows until enough are found.
 */
export const plannedAnew = (sql: string): string => MARK + sql;

export const isPlannedAnew = (sql: string): boolean => sql.startsWith(MARK);
