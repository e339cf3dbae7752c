-- The log of a store that was moved to another disk: who still has it open is told, instead of writing what nobody would read.
CREATE TRIGGER moved BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'the store was moved: open it again'); END;
