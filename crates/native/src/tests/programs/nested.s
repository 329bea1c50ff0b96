# Debug information of a function with 300 000 inlined functions. Each function is inlined into the previous function.
        .section .debug_abbrev,"",%progbits
        .uleb128 1, 0x11                # compile unit with children: low address, high address
        .byte   1
        .uleb128 0x11, 0x01, 0x12, 0x01, 0, 0
        .uleb128 2, 0x2e                # function with children: the same, and a name
        .byte   1
        .uleb128 0x11, 0x01, 0x12, 0x01, 0x03, 0x08, 0, 0
        .uleb128 3, 0x1d                # inlined function with children: the same
        .byte   1
        .uleb128 0x11, 0x01, 0x12, 0x01, 0, 0
        .uleb128 0
        .section .debug_info,"",%progbits
        .4byte  end - start
start:  .2byte  4
        .4byte  0
        .byte   8
        .uleb128 1
        .8byte  nested, after_nested
        .uleb128 2
        .8byte  nested, after_nested
        .asciz  "nested"
        .rept   300000
        .uleb128 3
        .8byte  nested, after_nested
        .endr
        .rept   300002
        .byte   0
        .endr
end:
        .text
        .globl  nested
nested: .skip   64
after_nested:
