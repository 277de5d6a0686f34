// Element stores into old arrays: object[] and covariant arrays (checked stores), arrays of structs, two-dimensional arrays.
// Rule: every kind of element store goes through a write barrier for the element's own address.
// A large array spans many cards; a barrier that marks the card of the array's start instead of the element's loses the element.

namespace Garner.Conformance;

[Behaviour("card-array-store", "element stores into old object[], covariant, struct and two-dimensional arrays are seen by young collections")]
internal static class ArrayStores
{
    private class Animal { public int Number; }
    private sealed class Dog : Animal;

    public static void Run(TextWriter output)
    {
        const int Length = 30_000;
        object?[] objects = new object?[Length];
        Animal?[] animals = new Dog?[Length];
        (int Number, Animal? Animal)[] pairs = new (int, Animal?)[Length];
        Animal?[,] grid = new Animal?[100, 300];
        Heap.Age(objects);
        Heap.Age(animals);
        Heap.Age(pairs);
        Heap.Age(grid);
        int[] expected = new int[Length];
        Dice dice = new(8);
        int rounds = Work.Scaled(25, 4);
        for (int round = 1; round <= rounds; round++)
        {
            for (int k = 0; k < 40; k++)
            {
                int i = k == 0 ? 0 : k == 1 ? Length - 1 : dice.Below(Length);
                expected[i] = round * 100 + k;
                objects[i] = new Animal { Number = expected[i] };
                animals[i] = new Dog { Number = expected[i] };
                pairs[i].Animal = new Animal { Number = expected[i] };
                pairs[i].Number = expected[i];
                grid[i / 300, i % 300] = new Dog { Number = expected[i] };
            }
            Heap.Young();
            for (int i = 0; i < Length; i++)
            {
                int number = expected[i];
                bool right = number == 0
                    ? objects[i] == null && animals[i] == null && pairs[i].Animal == null && grid[i / 300, i % 300] == null
                    : ((Animal)objects[i]!).Number == number && animals[i]!.Number == number && pairs[i].Animal!.Number == number && grid[i / 300, i % 300]!.Number == number;
                if (!right)
                    Expect.That(false, $"element {i} in round {round}");
            }
        }
        Expect.Throws<ArrayTypeMismatchException>(() => animals[5] = new Animal(), "storing an Animal into a Dog[]");
        output.WriteLine("every element was seen");
    }
}
