//! The JVM's instructions by opcode: their names and the shapes of their operands.

/// The operands after an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// No operands.
    None,
    /// A signed byte.
    Byte,
    /// A signed number of two bytes.
    Short,
    /// The number of a local variable: one byte, or two bytes after `wide`.
    Local,
    /// A local variable, and a signed number that is added to it.
    Increment,
    /// The number of a constant, one byte.
    ShortConstant,
    /// The number of a constant, two bytes.
    Constant,
    /// A constant, the number of arguments and a zero.
    InterfaceCall,
    /// A constant and two zeros.
    DynamicCall,
    /// A target in two bytes, relative to the instruction.
    Branch,
    /// A target in four bytes, relative to the instruction.
    WideBranch,
    /// The type of an array's elements.
    NewArray,
    /// A constant and the number of dimensions.
    MultiArray,
    TableSwitch,
    LookupSwitch,
    /// Makes the next instruction's operands wider.
    Wide,
}

pub(super) const WIDE: u8 = 0xc4;

/// Name and operands of an opcode. `None` if class files have no such instruction.
pub(super) fn opcode(code: u8) -> Option<(&'static str, Shape)> {
    OPCODES.get(usize::from(code)).copied()
}

#[rustfmt::skip]
const OPCODES: [(&str, Shape); 202] = {
    use Shape::{
        Branch, Byte, Constant, DynamicCall, Increment, InterfaceCall, Local, LookupSwitch, MultiArray, NewArray,
        None, Short, ShortConstant, TableSwitch, Wide, WideBranch,
    };
    [
        ("nop", None), ("aconst_null", None), ("iconst_m1", None), ("iconst_0", None),
        ("iconst_1", None), ("iconst_2", None), ("iconst_3", None), ("iconst_4", None),
        ("iconst_5", None), ("lconst_0", None), ("lconst_1", None), ("fconst_0", None),
        ("fconst_1", None), ("fconst_2", None), ("dconst_0", None), ("dconst_1", None),
        ("bipush", Byte), ("sipush", Short), ("ldc", ShortConstant), ("ldc_w", Constant),
        ("ldc2_w", Constant), ("iload", Local), ("lload", Local), ("fload", Local),
        ("dload", Local), ("aload", Local), ("iload_0", None), ("iload_1", None),
        ("iload_2", None), ("iload_3", None), ("lload_0", None), ("lload_1", None),
        ("lload_2", None), ("lload_3", None), ("fload_0", None), ("fload_1", None),
        ("fload_2", None), ("fload_3", None), ("dload_0", None), ("dload_1", None),
        ("dload_2", None), ("dload_3", None), ("aload_0", None), ("aload_1", None),
        ("aload_2", None), ("aload_3", None), ("iaload", None), ("laload", None),
        ("faload", None), ("daload", None), ("aaload", None), ("baload", None),
        ("caload", None), ("saload", None), ("istore", Local), ("lstore", Local),
        ("fstore", Local), ("dstore", Local), ("astore", Local), ("istore_0", None),
        ("istore_1", None), ("istore_2", None), ("istore_3", None), ("lstore_0", None),
        ("lstore_1", None), ("lstore_2", None), ("lstore_3", None), ("fstore_0", None),
        ("fstore_1", None), ("fstore_2", None), ("fstore_3", None), ("dstore_0", None),
        ("dstore_1", None), ("dstore_2", None), ("dstore_3", None), ("astore_0", None),
        ("astore_1", None), ("astore_2", None), ("astore_3", None), ("iastore", None),
        ("lastore", None), ("fastore", None), ("dastore", None), ("aastore", None),
        ("bastore", None), ("castore", None), ("sastore", None), ("pop", None),
        ("pop2", None), ("dup", None), ("dup_x1", None), ("dup_x2", None),
        ("dup2", None), ("dup2_x1", None), ("dup2_x2", None), ("swap", None),
        ("iadd", None), ("ladd", None), ("fadd", None), ("dadd", None),
        ("isub", None), ("lsub", None), ("fsub", None), ("dsub", None),
        ("imul", None), ("lmul", None), ("fmul", None), ("dmul", None),
        ("idiv", None), ("ldiv", None), ("fdiv", None), ("ddiv", None),
        ("irem", None), ("lrem", None), ("frem", None), ("drem", None),
        ("ineg", None), ("lneg", None), ("fneg", None), ("dneg", None),
        ("ishl", None), ("lshl", None), ("ishr", None), ("lshr", None),
        ("iushr", None), ("lushr", None), ("iand", None), ("land", None),
        ("ior", None), ("lor", None), ("ixor", None), ("lxor", None),
        ("iinc", Increment), ("i2l", None), ("i2f", None), ("i2d", None),
        ("l2i", None), ("l2f", None), ("l2d", None), ("f2i", None),
        ("f2l", None), ("f2d", None), ("d2i", None), ("d2l", None),
        ("d2f", None), ("i2b", None), ("i2c", None), ("i2s", None),
        ("lcmp", None), ("fcmpl", None), ("fcmpg", None), ("dcmpl", None),
        ("dcmpg", None), ("ifeq", Branch), ("ifne", Branch), ("iflt", Branch),
        ("ifge", Branch), ("ifgt", Branch), ("ifle", Branch), ("if_icmpeq", Branch),
        ("if_icmpne", Branch), ("if_icmplt", Branch), ("if_icmpge", Branch), ("if_icmpgt", Branch),
        ("if_icmple", Branch), ("if_acmpeq", Branch), ("if_acmpne", Branch), ("goto", Branch),
        ("jsr", Branch), ("ret", Local), ("tableswitch", TableSwitch), ("lookupswitch", LookupSwitch),
        ("ireturn", None), ("lreturn", None), ("freturn", None), ("dreturn", None),
        ("areturn", None), ("return", None), ("getstatic", Constant), ("putstatic", Constant),
        ("getfield", Constant), ("putfield", Constant), ("invokevirtual", Constant), ("invokespecial", Constant),
        ("invokestatic", Constant), ("invokeinterface", InterfaceCall), ("invokedynamic", DynamicCall), ("new", Constant),
        ("newarray", NewArray), ("anewarray", Constant), ("arraylength", None), ("athrow", None),
        ("checkcast", Constant), ("instanceof", Constant), ("monitorenter", None), ("monitorexit", None),
        ("wide", Wide), ("multianewarray", MultiArray), ("ifnull", Branch), ("ifnonnull", Branch),
        ("goto_w", WideBranch), ("jsr_w", WideBranch),
    ]
};
