// Compiled expression trees with constants, closures and nested lambdas.
// Rule: compiled expressions are dynamic methods whose delegate refers to an array of constants.
// Constants are reachable through the delegate's target only.

using System.Linq.Expressions;

namespace Garner.Conformance;

[Behaviour("roots-expressions", "compiled expression trees keep constants and closures over collections")]
internal static class CompiledExpressions
{
    private sealed class Item(int number) { public int Number = number; }

    public static int Collecting(int n)
    {
        Heap.Turn();
        return n;
    }

    public static void Run(TextWriter output)
    {
        long sum = 0;
        List<Func<int, int>> all = [];
        int count = Work.Scaled(60, 10);
        for (int n = 0; n < count; n++)
        {
            ParameterExpression x = Expression.Parameter(typeof(int), "x");
            Expression constant = Expression.Field(Expression.Constant(new Item(n)), nameof(Item.Number));
            Expression call = Expression.Call(typeof(CompiledExpressions).GetMethod(nameof(Collecting))!, x);
            ParameterExpression y = Expression.Variable(typeof(Func<int>));
            // y = () => constant + x; x + Collecting(x) + y()
            Expression body = Expression.Block([y],
                Expression.Assign(y, Expression.Lambda<Func<int>>(Expression.Add(constant, x))),
                Expression.Add(call, Expression.Invoke(y)));
            all.Add(Expression.Lambda<Func<int, int>>(body, x).Compile());
        }
        Heap.Full();
        for (int n = 0; n < count; n++)
        {
            Expect.Equal(5 + n + 5, all[n](5));
            sum += all[n](n);
        }
        Expression<Func<IEnumerable<int>, int>> query = numbers => numbers.Where(n => n % 2 == 0).Select(n => Collecting(n)).Sum();
        output.WriteLine($"{sum} {query.Compile()(Enumerable.Range(0, 40))}");
    }
}
