// The switch of base/fiber.h and the first instructions of a new fiber, for x86-64 (System V) and aarch64 (AAPCS64).
//
//   Fiber* garner_fiber_switch(word* save, word load, Fiber* pass)
//     pushes what a call must preserve, stores the stack pointer to *save, takes `load` as stack pointer, pops the same and
//     returns `pass` to whoever stood there. The pushed words are struct Frame of fiber.cc.
//   garner_fiber_start
//     where a new fiber's first "return" leads: calls garner_fiber_begin(pass, self), which never returns.
//
// The floating-point control registers are written only when they differ, since writing them drains the pipeline. On x86-64 only
// the control bits of mxcsr count: its six low bits are status flags that a call need not preserve.
// The unwind notes describe both stacks at once, because both have the same shape around the change of stack pointer.

#if defined(__x86_64__)

        .hidden garner_fiber_begin
        .text
        .p2align 4
        .globl  garner_fiber_switch
        .hidden garner_fiber_switch
        .type   garner_fiber_switch, @function
garner_fiber_switch:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        xorl    (%rsp), %eax
        testl   $0xffc0, %eax
        jne     .Lmxcsr
.Lx87_test:
        cmpw    %cx, 4(%rsp)
        jne     .Lx87
.Lrestored:
        .cfi_remember_state
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        movq    %rdx, %rax
        ret
.Lmxcsr:
        .cfi_restore_state
        ldmxcsr (%rsp)
        jmp     .Lx87_test
.Lx87:
        fldcw   4(%rsp)
        jmp     .Lrestored
        .cfi_endproc
        .size   garner_fiber_switch, .-garner_fiber_switch

        .p2align 4
        .globl  garner_fiber_start
        .hidden garner_fiber_start
        .type   garner_fiber_start, @function
garner_fiber_start:
        .cfi_startproc
        .cfi_undefined %rip             // nobody called: unwinders stop here
        movq    %rax, %rdi
        movq    %r12, %rsi
        xorl    %ebp, %ebp
        call    garner_fiber_begin
        ud2
        .cfi_endproc
        .size   garner_fiber_start, .-garner_fiber_start

#elif defined(__aarch64__)

        .hidden garner_fiber_begin
        .text
        .p2align 4
        .globl  garner_fiber_switch
        .hidden garner_fiber_switch
        .type   garner_fiber_switch, %function
garner_fiber_switch:
        .cfi_startproc
        sub     sp, sp, #176
        .cfi_adjust_cfa_offset 176
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        .cfi_rel_offset x29, 80
        .cfi_rel_offset x30, 88
        stp     d8,  d9,  [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x9, fpcr
        str     x9, [sp, #160]
        mov     x10, sp
        str     x10, [x0]
        mov     sp, x1
        ldr     x11, [sp, #160]
        cmp     x9, x11
        b.eq    1f
        msr     fpcr, x11
1:      ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8,  d9,  [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #176
        .cfi_adjust_cfa_offset -176
        .cfi_restore x29
        .cfi_restore x30
        mov     x0, x2
        ret
        .cfi_endproc
        .size   garner_fiber_switch, .-garner_fiber_switch

        .p2align 4
        .globl  garner_fiber_start
        .hidden garner_fiber_start
        .type   garner_fiber_start, %function
garner_fiber_start:
        .cfi_startproc
        .cfi_undefined x30              // nobody called: unwinders stop here
        mov     x1, x19                 // x0 is `pass` already
        mov     x29, xzr
        mov     x30, xzr
        bl      garner_fiber_begin
        brk     #1
        .cfi_endproc
        .size   garner_fiber_start, .-garner_fiber_start

#else
#error "fibers are written for x86-64 and aarch64"
#endif

        .section .note.GNU-stack, "", %progbits
